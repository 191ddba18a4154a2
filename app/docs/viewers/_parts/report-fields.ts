import { ERROR_KINDS } from '#server/modules/analytics/viewing/viewer-limits'
import { RETENTION_PARTS, type ViewingReport } from '#server/modules/analytics/viewing/viewing-schema'

/** Does not compile while a field of the schema is missing. */
export const REPORT_FIELDS: Record<keyof Required<ViewingReport>, string> = {
  permit: 'The part of the address of a playlist before the name of its file: of /cdn/hls/VIDEO_ID/PERMIT/master.m3u8, PERMIT.',
  session: '32 hexadecimal digits, random for each viewing, the same in all of its reports.',
  startupMs: 'Milliseconds from the command to play until the first picture. Once in a viewing; that report counts the play.',
  left: 'Whether the player has ended or its page is being left. This frees the place of the viewer at once. Default: false.',
  watchMs: 'Milliseconds in which the picture moved, up to 3,600,000.',
  rebufferMs: 'Milliseconds in which playback waited for data, up to 3,600,000.',
  rebuffers: 'How often it waited, up to 1,000. Waits after a seek do not count.',
  errors: 'Errors that were shown, up to 1,000.',
  errorKind: `What the last error was: ${ERROR_KINDS.join(', ')}.`,
  height: 'Height of the picture that is shown, in pixels.',
  watched: 'Of watchMs, the milliseconds by height: a list of up to 12 pairs of height and milliseconds.',
  page: 'Host of the page around the player, such as www.example.com; (direct) without one, (unknown) where it is hidden.',
  positionSec: 'Where playback is, in seconds of the video. For viewers with an ID, whose progress you want to keep.',
  spans: 'What was played since the previous report: a list of up to 100 pairs of begin and end, in seconds of the video.',
  reached: `Parts of the video that were shown for the first time: numbers from 0 to ${RETENTION_PARTS - 1}, of ${RETENTION_PARTS} equal parts. May be empty.`,
}

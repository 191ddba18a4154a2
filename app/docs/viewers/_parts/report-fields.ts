import { ERROR_KINDS } from '#server/modules/analytics/viewing/viewer-limits'
import { RETENTION_PARTS, type ViewingReport } from '#server/modules/analytics/viewing/viewing-schema'

/** Does not compile while a field of the schema is missing. */
export const REPORT_FIELDS: Record<keyof Required<ViewingReport>, string> = {
  permit: 'The part of a playlist’s address before the file name: in `/cdn/hls/VIDEO_ID/PERMIT/master.m3u8`, it is `PERMIT`.',
  session: '32 hexadecimal digits, random for each view, and the same in all of its reports.',
  startupMs: 'Milliseconds from the play command to the first frame. Send it once per view; that report counts the play.',
  left: 'Whether the player has ended or the viewer is leaving its page. If true, the session stops counting at once; send false when playback continues.',
  watchMs: 'Milliseconds in which the video moved, up to 3,600,000.',
  rebufferMs: 'Milliseconds in which playback waited for data, up to 3,600,000.',
  rebuffers: 'How often playback waited, up to 1,000. Waiting after a seek does not count.',
  errors: 'How many errors the player showed, up to 1,000.',
  errorKind: `Kind of the last error: ${ERROR_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
  height: 'Height of the video on screen, in pixels.',
  watched: '`watchMs` by height: a list of up to 12 pairs of height and milliseconds.',
  page: 'Host of the page around the player, such as `www.example.com`; `(direct)` if there is none, `(unknown)` if it is hidden.',
  positionSec: 'Where playback is, in seconds of the video. Send it for viewers with an ID, to keep their progress.',
  spans: 'What played since the previous report: a list of up to 100 pairs of start and end, in seconds of the video.',
  reached: `Parts of the video that the viewer reached for the first time: numbers from 0 to ${RETENTION_PARTS - 1}, of ${RETENTION_PARTS} equal parts. May be empty.`,
}

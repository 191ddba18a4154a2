import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config/config.ts'
import { query } from '../../platform/database/database.ts'
import { av1Program, scorerProgram } from '../../platform/ffmpeg/ffmpeg-programs.ts'
import { SERVED, VISIBLE } from '../videos/owned-video.ts'
import { chosenEncoder } from './plan/encoder-choice.ts'
import { FIRST_PRESET, SLOWER_PRESET } from './plan/encoders.ts'
import { beginFurtherCodec, EXTENDABLE } from './plan/further-codec.ts'
import { beginSlowerPreset, SLOWABLE } from './tasks/reencode.ts'

/**
 * What a video gets once it has been watched for enough hours: AV1 next to H.264, and H.264 with a slower preset in place of the first one.
 */
const WATCHED_ENCODINGS = ['slower', 'av1'] as const
export type WatchedEncoding = (typeof WATCHED_ENCODINGS)[number]

/** `begun`: one attempt per media, whatever the outcome. */
const STATE = { av1: 'av1_state', slower: 'slower_state' } as const

/** SQL condition: the row `video` can get the encoding. */
const POSSIBLE = { av1: EXTENDABLE, slower: SLOWABLE } as const

/** Returns how many watched hours earn videos an encoding. Null: never. */
const hoursFor = (encoding: WatchedEncoding): number | null =>
  encoding === 'av1' ? env().AV1_AFTER_HOURS : env().SLOWER_PRESET_AFTER_HOURS

/** Maximum number of videos that become due in one run: more than could be encoded until the next one. */
const BATCH = 200
const HOUR_MS = 3_600_000

const markDue = (encoding: WatchedEncoding, from: string, condition: string) => `
  UPDATE media SET ${STATE[encoding]} = 'due' WHERE id IN (
    SELECT media_id FROM ${from}
    WHERE ${condition} AND EXISTS (SELECT FROM media m WHERE m.id = media_id AND m.${STATE[encoding]} IS NULL)
      AND ${SERVED} AND ${POSSIBLE[encoding]}
    ORDER BY completed_at DESC LIMIT ${BATCH})`

/** A video reaches its hours while it is being watched, so the last two days are enough: few rows, by the index of days. */
const WATCHED = `(SELECT DISTINCT video_id FROM view_day WHERE day >= (service_now() AT TIME ZONE 'UTC')::date - 1) seen
      JOIN video ON video.id = seen.video_id
      CROSS JOIN LATERAL (SELECT sum(watch_ms) AS ms FROM view_day WHERE video_id = video.id) watched`

/** Notes which videos have been watched for enough hours. Runs as the job `video.watched`. */
export async function noteWatched(): Promise<void> {
  for (const encoding of WATCHED_ENCODINGS) {
    const hours = hoursFor(encoding)
    if (hours === 0) await query(`watched-any-${encoding}`, markDue(encoding, 'video', 'true'), [])
    else if (hours !== null) await query(`watched-${encoding}`, markDue(encoding, WATCHED, 'watched.ms >= $1::float8'), [hours * HOUR_MS])
  }
}

const next = (encoding: WatchedEncoding) => `
  SELECT id FROM video WHERE media_id IN (SELECT id FROM media WHERE ${STATE[encoding]} = 'due') AND ${SERVED} AND ${POSSIBLE[encoding]}
  ORDER BY completed_at DESC LIMIT 1`

/**
 * Starts the newest due video, the slower preset first, since its media has no AV1 yet, unless anything is being transcoded. Returns its
 * ID. Undefined if none started.
 */
export async function beginDue(): Promise<string | undefined> {
  for (const encoding of WATCHED_ENCODINGS) {
    if (hoursFor(encoding) === null || !(await canEncode(encoding))) continue
    const [due] = await query<{ id: string }>(`watched-next-${encoding}`, next(encoding), [])
    if (due && (await (encoding === 'av1' ? beginFurtherCodec(due.id, 'av1') : beginSlowerPreset(due.id)))) return due.id
  }
  return undefined
}

/** Returns whether this worker can encode it. */
const canEncode = async (encoding: WatchedEncoding): Promise<boolean> =>
  encoding === 'av1' ? av1Program() !== undefined : scorerProgram() !== undefined && (await chosenEncoder()) === 'x264'

/** `below`: not watched long enough yet. `declined`: encoding failed or saved too little. */
export type WatchedState = 'below' | 'due' | 'encoding' | 'stored' | 'declined'

/** What a video's page shows about the rule. */
export interface VideoWatchedEncodings {
  watchedHours: number
  /** Of the slower preset. */
  preset: string
  /** Null if the video does not get it. */
  encodings: Record<WatchedEncoding, { afterHours: number; state: WatchedState } | null>
}

interface Row {
  status: string
  preset: string | null
  hours: number
  av1State: string | null
  slowerState: string | null
  hasAv1: boolean
  makesAv1: boolean
  makesSlower: boolean
  [column: string]: unknown
}

const READ = `
  SELECT video.status, m.h264_preset AS preset, m.av1_state AS "av1State", m.slower_state AS "slowerState",
    (SELECT COALESCE(sum(watch_ms), 0)::float8 FROM view_day WHERE video_id = video.id) / ${HOUR_MS} AS hours,
    EXISTS (SELECT FROM rendition WHERE media_id = m.id AND codec = 'av1') AS "hasAv1",
    EXISTS (SELECT FROM transcode_queue WHERE media_id = m.id AND codec = 'av1') AS "makesAv1",
    EXISTS (SELECT FROM media n WHERE n.video_id = video.id AND n.id <> m.id AND n.reencodes AND n.kept_until IS NULL) AS "makesSlower"
  FROM video JOIN media m ON m.id = video.media_id WHERE video.id = $1 AND video.account_id = $2 AND ${VISIBLE}`

/** Returns how long a video was watched, and what it gets for that. Null while it is not COMPLETED. Errors: VIDEO_NOT_FOUND. */
export async function getWatchedEncodings(
  { accountId }: AccountCtx,
  { videoId }: { videoId: string },
): Promise<VideoWatchedEncodings | null> {
  const [video] = await query<Row>('watched-video', READ, [videoId, accountId])
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND')
  const { status, preset, hours, av1State, slowerState, hasAv1, makesAv1, makesSlower } = video
  if (status !== 'COMPLETED') return null
  const shown = (encoding: WatchedEncoding, state: WatchedState) => {
    const afterHours = hoursFor(encoding)
    if (afterHours === null) return state === 'stored' ? { afterHours: 0, state } : null
    return { afterHours, state: state === 'below' && afterHours === 0 ? ('due' as const) : state }
  }
  const av1 = hasAv1 ? 'stored' : makesAv1 ? 'encoding' : stateOf(av1State)
  const slower = preset === SLOWER_PRESET ? 'stored' : makesSlower ? 'encoding' : stateOf(slowerState)
  return {
    watchedHours: hours,
    preset: SLOWER_PRESET,
    encodings: {
      av1: av1 === 'stored' || av1Program() ? shown('av1', av1) : null,
      slower: preset === SLOWER_PRESET || preset === FIRST_PRESET ? shown('slower', slower) : null,
    },
  }
}

const stateOf = (state: string | null): WatchedState => (state === 'begun' ? 'declined' : state === 'due' ? 'due' : 'below')

/** What the operator sees about the rule: hours (null: never), and videos. */
export interface InstallationWatchedEncodings {
  av1: { afterHours: number | null; stored: number; due: number; encoding: number }
  slower: { preset: string; afterHours: number | null; due: number }
}

const COUNT = `
  SELECT (SELECT count(DISTINCT media_id) FROM rendition WHERE codec = 'av1')::int AS stored,
    (SELECT count(*) FROM transcode_queue WHERE codec = 'av1')::int AS encoding,
    (SELECT count(*) FROM media WHERE av1_state = 'due')::int AS "av1Due",
    (SELECT count(*) FROM media WHERE slower_state = 'due')::int AS "slowerDue"`

/** Returns how many videos have AV1, and how many are waiting for it or for the slower preset. */
export async function countWatchedEncodings(): Promise<InstallationWatchedEncodings> {
  type Counts = { stored: number; encoding: number; av1Due: number; slowerDue: number }
  const [{ stored, encoding, av1Due, slowerDue }] = (await query<Counts>('watched-counts', COUNT, [])) as [Counts]
  return {
    av1: { afterHours: hoursFor('av1'), stored, due: av1Due, encoding },
    slower: { preset: SLOWER_PRESET, afterHours: hoursFor('slower'), due: slowerDue },
  }
}

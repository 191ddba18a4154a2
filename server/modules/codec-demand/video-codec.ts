import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { query } from '../../platform/database.ts'
import { VISIBLE } from '../videos/served.ts'
import { forecastCodec } from './decide.ts'
import { isAvailable, modeOf, presetOf } from './demand.ts'
import { realOf } from './follow.ts'
import { asStored } from './money.ts'
import { JOINED_ROW } from './offered.ts'
import { readVideos } from './read-videos.ts'
import type { CodecState, DemandCodec, VideoCodec } from './state.ts'
import { readTerms } from './terms.ts'

interface Row {
  begunAt: Date | null
  completedAt: Date | null
  endedAt: Date | null
  endReason: string | null
  isOffered: boolean
  bytes: number | null
  h264Bytes: number | null
  saving: number
  storage: number
  encoding: number
  settledAt: Date | null
  realSaving: number | null
  realStorage: number | null
  /** Seconds watched since the renditions are complete, from the day on. */
  watchSec: number
  [column: string]: unknown
}

/** The newest decisions about a video; money of `encoding` is spent whatever came of it. */
const read = (codec: DemandCodec) => `
  SELECT c.begun_at AS "begunAt", c.completed_at AS "completedAt", c.ended_at AS "endedAt", c.end_reason AS "endReason",
    n.id IS NOT NULL AS "isOffered", c.bytes::float8 AS bytes, c.h264_bytes::float8 AS "h264Bytes",
    c.saving, c.storage, c.encoding, c.settled_at AS "settledAt", c.real_saving AS "realSaving", c.real_storage AS "realStorage",
    COALESCE((SELECT sum(watch_ms) FROM view_day WHERE video_id = c.video_id AND day >= (c.completed_at AT TIME ZONE 'UTC')::date), 0)::float8
      / 1000 AS "watchSec"
  FROM codec_decision c LEFT JOIN ${JOINED_ROW[codec]} ON c.ended_at IS NULL
  WHERE c.video_id = $1 AND c.codec = $2 ORDER BY c.decided_at DESC LIMIT 10`

/** Returns what a codec of a video saves and costs; null for a video that is not COMPLETED. Errors: VIDEO_NOT_FOUND. */
export async function getVideoCodec(
  { accountId }: AccountCtx,
  { videoId, codec = 'av1' }: { videoId: string; codec?: DemandCodec },
): Promise<VideoCodec | null> {
  const [own] = await query<{ status: string; preset: string | null }>(
    'codec-own',
    `SELECT status, h264_preset AS preset FROM video WHERE id = $1 AND account_id = $2 AND ${VISIBLE}`,
    [videoId, accountId],
  )
  if (!own) throw new ServiceError('VIDEO_NOT_FOUND')
  const [video] = own.status === 'COMPLETED' ? await readVideos([videoId]) : []
  if (!video) return null
  const rows = await query<Row>(`codec-decisions-${codec}`, read(codec), [videoId, codec])
  const [last] = rows
  const stored = last?.isOffered ? storedOf(last) : undefined
  const terms = await readTerms(codec)
  // What is stored is known.
  const known = stored ? asStored(video.facts, terms.codec, stored) : { video: video.facts, codec: terms.codec }
  const { watchSec, saving, storage, encoding, net } = forecastCodec(known.video, video.history, { ...terms, codec: known.codec })
  const settled = rows.find(({ settledAt }) => settledAt)
  return {
    codec,
    preset: presetOf(codec),
    state: stateOf(codec, last, video.facts.isHdr ? null : own.preset),
    mode: modeOf(codec),
    forecast: { watchSec, saving, storage, encoding, net },
    stored: stored
      ? { ...stored, saved: realOf({ ...stored, days: 0, watchSec: (last as Row).watchSec }, terms, video.facts).saving }
      : null,
    month:
      settled?.completedAt && settled.realSaving !== null && settled.realStorage !== null
        ? {
            since: settled.completedAt,
            forecast: settled.saving - settled.storage - settled.encoding,
            real: settled.realSaving - settled.realStorage - settled.encoding,
          }
        : null,
    droppedAt: last?.endReason === 'dropped' ? last.endedAt : null,
  }
}

const storedOf = ({ completedAt, bytes, h264Bytes }: Row) =>
  completedAt && bytes !== null && h264Bytes ? { since: completedAt, bytes, h264Bytes } : undefined

function stateOf(codec: DemandCodec, last: Row | undefined, preset: string | null): CodecState {
  if (last && !last.endedAt) {
    if (last.isOffered && last.completedAt) return 'stored'
    return last.begunAt ? 'encoding' : 'waiting'
  }
  if (modeOf(codec) === 'never') return 'off'
  if (!isAvailable(codec)) return 'unavailable'
  // A rendition is a copy of the source, another encoder made it, or the source is HDR.
  if (codec === 'h264' && preset === null) return 'refused'
  return last?.endReason === 'dropped' || last?.endReason === 'refused' ? last.endReason : 'notWorth'
}

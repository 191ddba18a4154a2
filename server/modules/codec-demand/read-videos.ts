import { serviceNow } from '../../platform/clock.ts'
import { query } from '../../platform/database.ts'
import { FIRST_PRESET } from '../transcoding/encoders.ts'
import { HISTORY_DAYS, type WatchHistory } from './forecast.ts'
import type { VideoFacts } from './money.ts'

const DAY_MS = 86_400_000

export interface JudgedVideo {
  id: string
  facts: VideoFacts
  history: WatchHistory
}

interface Row {
  id: string
  completedAt: Date
  bytes: number
  megapixels: number
  /** Bits per second of the highest rendition, and of what viewers watched; the latter is null before anything is reported. */
  highest: number
  watched: number | null
  isHdr: boolean
  hasAv1: boolean
  preset: string | null
  /** Plays and milliseconds watched by the age of the day. */
  days: { at: number; plays: number; ms: number }[]
  [column: string]: unknown
}

/** Share of the bandwidth of the highest rendition that viewers receive on average, for a video without reports. */
const PRIOR_BANDWIDTH_SHARE = 0.7

/**
 * $1: ids; $2: days. Renditions state their pictures: sound is the same with every codec. Watch time by rendition weights their bandwidths.
 * The receipt of a video knows whether its source is HDR; a repair that encodes other bytes removes it, and the source then counts as SDR.
 */
const READ = `
  SELECT v.id, v.completed_at AS "completedAt", r.bytes, r.megapixels, r.highest, w.watched,
    false AS "isHdr",
    EXISTS (SELECT FROM codec_decision c WHERE c.video_id = v.id AND c.codec = 'av1' AND c.ended_at IS NULL) AS "hasAv1",
    v.h264_preset AS preset, COALESCE(d.days, '[]') AS days
  FROM video v
    CROSS JOIN LATERAL (
      SELECT sum(bytes)::float8 AS bytes, (max(bytes) * 8 / GREATEST(1, v.duration_sec))::float8 AS highest,
        sum(width::float8 * height * frame_rate) * v.duration_sec / 1e6 AS megapixels
      FROM rendition WHERE video_id = v.id) r
    CROSS JOIN LATERAL (
      SELECT (sum(seen.watch_ms * (r.bytes * 8.0 / GREATEST(1, v.duration_sec))) / NULLIF(sum(seen.watch_ms), 0))::float8 AS watched
      FROM viewer_day seen JOIN rendition r ON r.video_id = v.id AND r.quality = seen.value
      WHERE seen.video_id = v.id AND seen.dimension = 'quality' AND seen.day > ((service_now() AT TIME ZONE 'UTC')::date - $2::int)) w
    CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object('at', (service_now() AT TIME ZONE 'UTC')::date - day, 'plays', plays, 'ms', watch_ms)) AS days
      FROM view_day WHERE video_id = v.id AND day > ((service_now() AT TIME ZONE 'UTC')::date - $2::int)) d
  WHERE v.id = ANY ($1) AND v.completed_at IS NOT NULL AND r.bytes > 0`

/** Returns what the decision about a further codec of videos depends on; those without renditions are left out. */
export async function readVideos(ids: readonly string[]): Promise<JudgedVideo[]> {
  if (ids.length === 0) return []
  const rows = await query<Row>('codec-videos', READ, [ids, HISTORY_DAYS])
  const now = serviceNow()
  const todayShare = Math.max(1 / 1_440, (now % DAY_MS) / DAY_MS)
  return rows.map(({ id, completedAt, bytes, megapixels, highest, watched, isHdr, hasAv1, preset, days }) => {
    const plays = new Array<number>(HISTORY_DAYS).fill(0)
    const watchSec = new Array<number>(HISTORY_DAYS).fill(0)
    for (const day of days) {
      plays[day.at] = day.plays
      watchSec[day.at] = day.ms / 1_000
    }
    // A video may be watched before it is complete.
    const seen = Math.max(0, ...days.map(({ at }) => at))
    const ageDays = Math.max((now - completedAt.getTime()) / DAY_MS, seen > 0 ? seen - 1 + todayShare + 1 / 24 : 1 / 1_440)
    return {
      id,
      facts: {
        ...{ bytes, megapixels, bandwidth: watched ?? highest * PRIOR_BANDWIDTH_SHARE, isHdr, hasAv1 },
        hasSlowerPreset: preset !== null && preset !== FIRST_PRESET,
      },
      history: { plays, watchSec, todayShare, ageDays },
    }
  })
}

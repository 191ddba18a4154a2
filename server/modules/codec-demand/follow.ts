import { query } from '../../platform/database.ts'
import type { Terms } from './decide.ts'
import { HORIZON_DAYS } from './forecast.ts'
import { asStored, savedByWatching, storageCost, type VideoFacts } from './money.ts'
import { JOINED_ROW } from './offered.ts'
import { readVideos } from './read-videos.ts'
import type { DemandCodec } from './state.ts'

/** Decisions that are compared with what happened in one run. */
const BATCH = 200

/** $1: the codec. Begun decisions whose renditions are complete. Bytes of H.264 that they replaced were written before. */
const complete = (codec: DemandCodec) => `
  UPDATE codec_decision d SET completed_at = n.completed_at, bytes = sums.bytes, h264_bytes = COALESCE(c.h264_bytes, sums.h264)
  FROM codec_decision c JOIN ${JOINED_ROW[codec]} ON true CROSS JOIN LATERAL (
    SELECT (SELECT sum(bytes) FROM rendition r WHERE r.video_id = n.id)::bigint AS bytes,
      (SELECT sum(bytes) FROM rendition r WHERE r.video_id = c.video_id)::bigint AS h264) AS sums
  WHERE d.id = c.id AND c.codec = $1 AND c.ended_at IS NULL AND c.completed_at IS NULL AND c.begun_at IS NOT NULL`

/** Begun decisions without a row: encoding failed, was cancelled, or saved too little. */
const DROPPED = `
  UPDATE codec_decision c SET ended_at = service_now(), end_reason = 'dropped'
  WHERE c.codec = $1 AND c.ended_at IS NULL AND c.completed_at IS NULL AND c.begun_at < service_now() - interval '1 minute'
    AND NOT EXISTS (
      SELECT FROM video n WHERE n.replaces = c.video_id AND n.status <> 'FAILED'
        AND (n.adds_codec = c.codec OR c.codec = 'h264' AND n.reencodes AND n.kept_until IS NULL))
    AND NOT EXISTS (SELECT FROM video v WHERE v.id = c.video_id AND v.h264_preset = c.preset)`

/** $1: the codec. */
const UNSETTLED = `
  SELECT c.id, c.video_id AS "videoId", c.bytes::float8 AS bytes, c.h264_bytes::float8 AS "h264Bytes",
    LEAST(${HORIZON_DAYS}, extract(epoch FROM COALESCE(c.ended_at, service_now()) - c.completed_at)::float8 / 86400) AS days,
    COALESCE((SELECT sum(watch_ms) FROM view_day WHERE video_id = c.video_id AND day >= (c.completed_at AT TIME ZONE 'UTC')::date
      AND day < LEAST((c.completed_at AT TIME ZONE 'UTC')::date + ${HORIZON_DAYS}, (c.ended_at AT TIME ZONE 'UTC')::date + 1)), 0)::float8
      / 1000 AS "watchSec"
  FROM codec_decision c WHERE c.codec = $1 AND c.settled_at IS NULL
    AND c.completed_at < service_now() - interval '${HORIZON_DAYS} days'
  ORDER BY c.completed_at LIMIT ${BATCH}`

const SETTLE = `
  UPDATE codec_decision SET settled_at = service_now(), real_watch_sec = $2, real_saving = $3, real_storage = $4 WHERE id = $1`

interface Unsettled {
  id: string
  videoId: string
  bytes: number
  h264Bytes: number
  days: number
  watchSec: number
  [column: string]: unknown
}

/** Writes which decisions were carried out: their renditions are complete, or were dropped. */
export async function noteOutcomes(codec: DemandCodec): Promise<void> {
  await query(`codec-complete-${codec}`, complete(codec), [codec])
  await query('codec-dropped', DROPPED, [codec])
}

/** Writes what the renditions of decisions really saved that are complete for 30 days. */
export async function followDecisions(codec: DemandCodec, terms: Terms): Promise<void> {
  const due = await query<Unsettled>('codec-unsettled', UNSETTLED, [codec])
  const videos = new Map((await readVideos(due.map(({ videoId }) => videoId))).map((video) => [video.id, video]))
  for (const one of due) {
    const real = realOf(one, terms, videos.get(one.videoId)?.facts)
    await query('codec-settle', SETTLE, [one.id, one.watchSec, real.saving, real.storage])
  }
}

/** Returns what renditions saved and cost, by the arithmetic of the forecast with the plays that happened and the bytes that were stored. */
export function realOf(
  { bytes, h264Bytes, days, watchSec }: Pick<Unsettled, 'bytes' | 'h264Bytes' | 'days' | 'watchSec'>,
  { prices, codec: expected }: Terms,
  facts: VideoFacts = { bytes: h264Bytes, bandwidth: 0, megapixels: 0, isHdr: false, hasAv1: false, hasSlowerPreset: false },
): { saving: number; storage: number } {
  const { video, codec } = asStored(facts, expected, { bytes, h264Bytes })
  return { saving: savedByWatching(video, codec, prices, watchSec), storage: storageCost(video, codec, prices, days, bytes) }
}

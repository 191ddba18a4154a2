import { LRUCache } from 'lru-cache'
import { env } from '../../platform/config.ts'
import { services } from '../../platform/container.ts'
import { query } from '../../platform/database.ts'
import { shrunkShare } from './money.ts'
import { JOINED_ROW } from './offered.ts'
import type { ViewerShare } from './state.ts'

/** Shares of the watch time. */
export interface ViewerShares {
  /** Whose player uses AV1. */
  av1: ViewerShare
  /** Of these: on a screen that shows HDR. */
  hdr: ViewerShare
}

/** Days before the present one of which deliveries are read, and videos, those first that got AV1 last. */
const DAYS = 14
const MOST_VIDEOS = 500
/** Shares change slowly, and reading them takes rows of many videos. */
const KNOWN_MS = 10 * 60_000

declare module '../../platform/container.ts' {
  interface Services {
    /** By the one key `all`. */
    viewerShares: LRUCache<'all', ViewerShares>
  }
}

export const makeViewerShares = () => new LRUCache<'all', ViewerShares>({ max: 1, ttl: KNOWN_MS })

/**
 * $1: days; $2: videos. Hours delivered of videos that have AV1 and their present H.264, on whole days: bytes divided by those of an hour of their rendition. A stored receipt knows
 * HDR, as in `readVideos`.
 */
const READ = `
  WITH offered AS (
    SELECT c.video_id, n.id AS av1_id, (GREATEST(c.completed_at, (
        SELECT max(p.completed_at) FROM codec_decision p WHERE p.video_id = c.video_id AND p.codec = 'h264')) AT TIME ZONE 'UTC')::date AS since
    FROM codec_decision c JOIN ${JOINED_ROW.av1} ON true
    WHERE c.codec = 'av1' AND c.ended_at IS NULL AND c.completed_at < date_trunc('day', service_now(), 'UTC')
    ORDER BY c.completed_at DESC LIMIT $2),
  delivered AS (
    SELECT o.video_id, d.codec, sum(d.bytes::float8 / r.bytes) * v.duration_sec / 3600 AS hours
    FROM offered o JOIN video v ON v.id = o.video_id
      JOIN delivered_day d ON d.video_id = o.video_id AND d.day > o.since AND d.day > (service_now() AT TIME ZONE 'UTC')::date - $1::int
      JOIN rendition r ON r.quality = d.stream AND r.bytes > 0
        AND r.video_id = CASE d.codec WHEN 'av1' THEN o.av1_id WHEN 'h264' THEN o.video_id END
    GROUP BY o.video_id, v.duration_sec, d.codec)
  SELECT false AS "isHdr",
    COALESCE(sum(hours) FILTER (WHERE codec = 'av1'), 0)::float8 AS av1, sum(hours)::float8 AS "all"
  FROM delivered d GROUP BY 1`

interface Hours {
  isHdr: boolean
  av1: number
  all: number
  [column: string]: unknown
}

/**
 * Returns which shares of viewers get AV1: as delivered by this installation, and as set until there is enough of it. Behind a CDN, whose cache
 * keeps repeated requests from the service, they are as set.
 */
export async function readViewerShares(): Promise<ViewerShares> {
  const known = services().viewerShares.get('all')
  if (known) return known
  const { BASE_URL, CDN_URL } = env()
  const rows = CDN_URL === BASE_URL ? await query<Hours>('viewer-shares', READ, [DAYS, MOST_VIDEOS]) : []
  const shares = sharesOf(rows)
  services().viewerShares.set('all', shares)
  return shares
}

function sharesOf(rows: readonly Hours[]): ViewerShares {
  const { AV1_VIEWER_SHARE, HDR_VIEWER_SHARE } = env()
  const hoursOf = (hdr: boolean) => rows.find(({ isHdr }) => isHdr === hdr) ?? { av1: 0, all: 0 }
  const [sdr, hdr] = [hoursOf(false), hoursOf(true)]
  const av1 = { value: shrunkShare(AV1_VIEWER_SHARE, { part: sdr.av1, hours: sdr.all }), assumed: AV1_VIEWER_SHARE, hours: sdr.all }
  // Of the watch time of HDR videos, that of viewers whose player can decode AV1.
  const able = Math.max(hdr.av1, hdr.all * av1.value)
  return { av1, hdr: { value: shrunkShare(HDR_VIEWER_SHARE, { part: hdr.av1, hours: able }), assumed: HDR_VIEWER_SHARE, hours: able } }
}

import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { IS_LIVE } from './live-sessions.ts'

/** Maximum number of listed sessions. */
const MOST_LISTED = 50
/** Maximum number of videos in the list of those being watched. */
const MOST_VIDEOS = 10

/** A playback session with activity in the last 15 minutes. */
export interface ViewerSession {
  /** Number of the last end before it, and its token's id. */
  id: string
  tokenId: string
  beganAt: Date
  seenAt: Date
  /** Whether it currently counts as a viewer. */
  isLive: boolean
  /** Whether its player reports viewing, as the embed player does. */
  reports: boolean
  /** The rendition shown last. Null for players that do not report it. */
  quality: string | null
}

/** A video's viewers and their sessions: most recently active first, at most 50 of `total`. */
export interface VideoViewers {
  viewers: number
  total: number
  sessions: ViewerSession[]
}

/** Returns who is watching a video, up to 10 s late. Errors: VIDEO_NOT_FOUND, also for another account's. */
export async function videoViewers({ accountId }: AccountCtx, { videoId }: { videoId: string }): Promise<VideoViewers> {
  const [counted] = await query<{ viewers: number; total: number }>('viewers-of-video', COUNT, [accountId, videoId])
  if (!counted) throw new ServiceError('VIDEO_NOT_FOUND')
  const sessions = counted.total > 0 ? await query<ViewerSession>('sessions-of-video', LIST, [accountId, videoId, MOST_LISTED]) : []
  return { ...counted, sessions }
}

/** Returns how many sessions of the account's videos currently count as viewers. */
export async function accountViewers({ accountId }: AccountCtx): Promise<number> {
  const [row] = await query<{ viewers: number }>(
    'viewers-of-account',
    `SELECT count(*)::int AS viewers FROM live_session WHERE account_id = $1 AND ${IS_LIVE}`,
    [accountId],
  )
  return row?.viewers ?? 0
}

/** An account's viewers, and its most watched videos. */
export interface LiveVideos {
  viewers: number
  videos: { videoId: string; title: string; viewers: number }[]
}

/** Returns which of the account's videos are being watched, up to 10 s late. */
export async function liveVideos({ accountId }: AccountCtx): Promise<LiveVideos> {
  const rows = await query<LiveVideos['videos'][number] & { all: number }>('live-videos', LIVE_VIDEOS, [accountId, MOST_VIDEOS])
  return { viewers: rows[0]?.all ?? 0, videos: rows.map(({ videoId, title, viewers }) => ({ videoId, title, viewers })) }
}

const LIVE_VIDEOS = `
  SELECT video.id AS "videoId", title, watched.viewers, watched.all
  FROM (
    SELECT video_id, count(*)::int AS viewers, (sum(count(*)) OVER ())::int AS all FROM live_session
    WHERE account_id = $1 AND ${IS_LIVE} GROUP BY video_id ORDER BY viewers DESC, video_id LIMIT $2) AS watched
  JOIN video ON video.id = watched.video_id ORDER BY watched.viewers DESC, video.id`

const COUNT = `
  SELECT count(*) FILTER (WHERE ${IS_LIVE})::int AS viewers, count(live_session.id)::int AS total
  FROM video LEFT JOIN live_session ON live_session.account_id = video.account_id AND live_session.video_id = video.id
  WHERE video.id = $2 AND video.account_id = $1 GROUP BY video.id`

/** The row of a session that paused for long began with its return. The row of its first key request is older. */
const LIST = `
  SELECT live_session.id, split_part(live_session.id, '-', 2) AS "tokenId", LEAST(live_session.began_at, keyed.began_at) AS "beganAt",
    live_session.seen_at AS "seenAt", ${IS_LIVE} AS "isLive", live_session.reports,
    (SELECT quality FROM rendition r JOIN video v ON v.media_id = r.media_id
      WHERE v.id = live_session.video_id AND r.height = live_session.height LIMIT 1) AS quality
  FROM live_session LEFT JOIN playback_session AS keyed USING (id)
  WHERE live_session.account_id = $1 AND live_session.video_id = $2
  ORDER BY live_session.seen_at DESC, live_session.id LIMIT $3`

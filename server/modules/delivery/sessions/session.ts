import { ServiceError } from '../../../errors.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { alphabetical } from '../../../platform/database/text-sql.ts'
import { automaticLabel } from '../../videos/captions/automatic-label.ts'
import { PLAYABLE, SERVED } from '../../videos/owned-video.ts'
import type { Chapter } from '../../videos/schema.ts'
import { openRenewable, renewSession } from './media-permit.ts'

/** Data that a player shows. Files are relative to the master playlist, under the same permit. */
export interface PlaybackSession {
  title: string
  /** Seconds. */
  durationSec: number
  poster: string | null
  storyboard: string | null
  /** By label. */
  captions: { language: string; label: string; automatic: boolean; file: string }[]
  /** In order. Empty if there are none. Also in `chapters.vtt`. */
  chapters: Chapter[]
  /** The session renewed for another lifetime, starting now. */
  renewed: { masterPlaylistUrl: string; sessionExpiresAt: string; lifetimeSec: number }
}

interface Row {
  title: string
  durationSec: number
  poster: boolean
  storyboard: boolean
  captions: { language: string; label: string; automatic: boolean }[] | null
  chapters: Chapter[] | null
}

/**
 * Returns a session's metadata and its renewed URL. Called before the session ends, or afterwards while it can be renewed, it keeps a
 * player running. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED (also once it was ended), VIDEO_NOT_FOUND.
 */
export async function playbackSession({ videoId, permit }: { videoId: string; permit: string }): Promise<PlaybackSession> {
  const session = await openRenewable(videoId, permit)
  const [row] = await query<Row>(
    'playback-session',
    `SELECT title, video.duration_sec AS "durationSec", video.poster IS NOT NULL AS poster, m.storyboard IS NOT NULL AS storyboard, m.chapters,
       (SELECT json_agg(json_build_object('language', language, 'label', label, 'automatic', generated AND NOT edited) ORDER BY ${alphabetical('label')}, language)
        FROM caption WHERE video_id = video.id) AS captions
     FROM video JOIN media m ON m.id = video.media_id WHERE video.id = $1 AND ${SERVED} AND ${PLAYABLE}`,
    [videoId],
    vital(),
  )
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND', { message: 'No such video exists.' })
  const renewed = renewSession(videoId, session, row.durationSec)
  return {
    title: row.title,
    durationSec: row.durationSec,
    poster: row.poster ? 'poster.jpg' : null,
    storyboard: row.storyboard ? 'storyboard.vtt' : null,
    captions: (row.captions ?? []).map(({ language, label, automatic }) => ({
      ...{ language, label: automatic ? automaticLabel(label, language) : label, automatic },
      file: `captions-${language}.vtt`,
    })),
    chapters: row.chapters ?? [],
    renewed: {
      masterPlaylistUrl: renewed.url,
      sessionExpiresAt: renewed.sessionExpiresAt.toISOString(),
      lifetimeSec: Math.max(0, Math.ceil((renewed.sessionExpiresAt.getTime() - serviceNow()) / 1_000)),
    },
  }
}

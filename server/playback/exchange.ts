import type { z } from 'zod'
import { ServiceError } from '../errors.ts'
import { masterPlaylistUrl } from './grant.ts'
import { type PlayableVideo, playableVideo } from './playable.ts'
import type { playbackManifest } from './schema.ts'
import { verifyToken } from './token.ts'

type Manifest = z.output<typeof playbackManifest>

/**
 * Exchanges a playback token for the address of the master playlist (specification §4.4). `videoId`, when given, must be the
 * token's. Errors, in this order: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, PLAYBACK_TOKEN_INVALID (other video),
 * VIDEO_NOT_FOUND, VIDEO_NOT_READY.
 */
export function exchangeToken(input: { token: string; videoId?: string }): Manifest | Promise<Manifest> {
  const { videoId, exp } = verifyToken(input.token)
  if (input.videoId !== undefined && input.videoId !== videoId) throw new ServiceError('PLAYBACK_TOKEN_INVALID')
  const video = playableVideo(videoId)
  return video instanceof Promise ? video.then((found) => manifestOf(found, exp)) : manifestOf(video, exp)
}

/** `exp` in Unix seconds. */
function manifestOf(video: PlayableVideo | undefined, exp: number): Manifest {
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND')
  if (video.status !== 'COMPLETED') throw new ServiceError('VIDEO_NOT_READY', { details: { status: video.status } })
  const { url, sessionExpiresAt } = masterPlaylistUrl(video.id, video.durationSec)
  return {
    masterPlaylistUrl: url,
    qualities: video.qualities,
    encrypted: video.encrypted,
    expiresAt: new Date(exp * 1000).toISOString(),
    sessionExpiresAt: sessionExpiresAt.toISOString(),
  }
}

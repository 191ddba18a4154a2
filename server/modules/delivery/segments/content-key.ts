import { ServiceError } from '../../../errors.ts'
import { setOf, streamsOf } from '../playlists/streams.ts'
import { keySessions } from '../sessions/key-sessions.ts'
import { liveSessions } from '../sessions/live-sessions.ts'
import { refuseEnded } from '../sessions/media-permit.ts'
import { checkKeyUrl, expired, type KeyQuery } from './key-url.ts'

/**
 * Returns the AES-128 key (16 bytes) for a player. A session that used a key URL before it expired may use it until the session ends:
 * some players fetch the key with every segment. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED (also for a session that was
 * ended), VIDEO_NOT_FOUND, NOT_FOUND when not encrypted. `mediaId`: the set of streams that its URL names.
 */
export async function contentKey({
  videoId,
  mediaId,
  ...query
}: { videoId: string; mediaId?: string | null } & KeyQuery): Promise<Uint8Array> {
  const { opening, inTime, session } = checkKeyUrl(videoId, query)
  await refuseEnded(videoId, opening)
  const { contentKey } = setOf(await streamsOf(videoId), mediaId ?? videoId)
  if (!contentKey) throw new ServiceError('NOT_FOUND', { message: 'This video is not encrypted and has no key.' })
  if (session && inTime) await keySessions().remember({ ...session, videoId })
  else if (!inTime && !(session && (await keySessions().isKnown(session.id)))) throw expired()
  liveSessions().note(videoId, opening)
  return contentKey
}

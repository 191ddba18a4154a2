import { ServiceError } from '../../errors.ts'
import { checkKeyUrl, type KeyQuery } from './key-url.ts'
import { refuseEnded } from './media-permit.ts'
import { streamsOf } from './streams.ts'

/**
 * Returns the AES-128 key (16 bytes) for a player. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED (also for a session that
 * was ended), VIDEO_NOT_FOUND, NOT_FOUND when not encrypted.
 */
export async function contentKey({ videoId, ...query }: { videoId: string } & KeyQuery): Promise<Uint8Array> {
  await refuseEnded(videoId, checkKeyUrl(videoId, query))
  const { contentKey } = await streamsOf(videoId)
  if (!contentKey) throw new ServiceError('NOT_FOUND', { message: 'This video is not encrypted and has no key.' })
  return contentKey
}

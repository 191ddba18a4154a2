import { ServiceError } from '../errors.ts'
import { checkKeyUrl } from './key-url.ts'
import { streamsOf } from './streams.ts'

/** The 16 bytes a player decrypts with. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND, NOT_FOUND when not encrypted. */
export async function contentKey(input: { videoId: string; exp: string | null; sig: string | null }): Promise<Uint8Array> {
  checkKeyUrl(input.videoId, input)
  const { contentKey } = await streamsOf(input.videoId)
  if (!contentKey) throw new ServiceError('NOT_FOUND', { message: 'This video is not encrypted and has no key.' })
  return contentKey
}

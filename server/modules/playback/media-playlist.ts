import { ServiceError } from '../../errors.ts'
import { keyUrl } from './key-url.ts'
import { openMediaPermit } from './media-permit.ts'
import { type RenditionStream, streamsOf } from './streams.ts'

/**
 * Returns the playlist of one rendition's segments, with a key URL issued for this response. Errors: PLAYBACK_TOKEN_INVALID,
 * PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND, NOT_FOUND for a quality it does not have.
 */
export async function mediaPlaylist(input: { videoId: string; permit: string; quality: string }): Promise<string> {
  const { videoId, permit, quality } = input
  const opening = await openMediaPermit(videoId, permit, 'session')
  const { renditions, contentKey } = await streamsOf(videoId)
  const rendition = renditions.find((one) => one.quality === quality)
  if (!rendition)
    throw new ServiceError('NOT_FOUND', { message: 'This video has no such rendition. The master playlist lists the available ones.' })
  return renderMedia(rendition, contentKey && keyUrl(videoId, opening))
}

/** Renders RFC 8216 §4.3.2–4.3.3. Without an IV attribute a player uses the media sequence number, which starts at 0. */
export function renderMedia(
  { targetDuration, lines }: Pick<RenditionStream, 'targetDuration' | 'lines'>,
  keyAddress: string | undefined,
): string {
  const head = `#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:${targetDuration}\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n`
  const key = keyAddress ? `#EXT-X-KEY:METHOD=AES-128,URI="${keyAddress}"\n` : ''
  return `${head}#EXT-X-INDEPENDENT-SEGMENTS\n${key}${lines}#EXT-X-ENDLIST\n`
}

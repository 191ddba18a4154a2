import { extraKey, pictureKey } from '../../videos/media-keys.ts'
import { findPicture, type Picture } from './picture.ts'
import { openPicture } from './picture-permit.ts'
import { streamsOf } from './streams.ts'

/**
 * Returns the poster of a video, or with `name` one of the candidates. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED,
 * VIDEO_NOT_FOUND, NOT_FOUND.
 */
export async function findPoster({ videoId, permit, name }: { videoId: string; permit: string; name?: string }): Promise<Picture> {
  await openPicture(videoId, permit, name ? `poster-${name}.jpg` : 'poster.jpg')
  const streams = await streamsOf(videoId)
  const { poster, posterUploaded } = streams
  const wanted = name ?? poster
  if (wanted && wanted === posterUploaded) return findPicture(extraKey(videoId, wanted))
  const set = [streams, ...streams.former].find(({ posterCandidates }) => wanted && posterCandidates.includes(wanted))
  return findPicture(wanted && set ? pictureKey(set.mediaId, wanted) : undefined)
}

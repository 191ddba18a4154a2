import type { AccountCtx } from '../../../context.ts'
import { requireVideoManagement } from '../../videos/owned-video.ts'
import { uploadPoster } from '../../videos/poster.ts'
import { drawnThumbnail } from './thumbnails.ts'
import { getPictures } from './video-pictures.ts'

/** Width of a poster in pixels. A smaller video is not enlarged. */
const WIDTH = 1_920

/**
 * Makes the frame at a second of the video its poster. Returns its name. The last choice wins. Errors: as `uploadPoster`, INVALID_REQUEST
 * for a time after the end, NOT_FOUND for a video that is not COMPLETED, SERVICE_UNAVAILABLE while too many frames are being drawn.
 */
export async function posterAt(ctx: AccountCtx, { videoId, time }: { videoId: string; time: number }): Promise<{ name: string }> {
  requireVideoManagement(ctx)
  // Checks whose video it is, and the time.
  await getPictures(ctx, { videoId, time })
  const { picture } = await drawnThumbnail(videoId, { timeMs: Math.round(time * 10) * 100, width: WIDTH, format: 'jpeg' })
  return uploadPoster(ctx, { videoId, image: picture, expected: undefined })
}

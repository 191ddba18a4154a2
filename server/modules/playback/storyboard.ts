import { ServiceError } from '../../errors.ts'
import { pictureKey } from '../videos/media-keys.ts'
import type { Storyboard } from '../videos/schema.ts'
import { openMediaPermit } from './media-permit.ts'
import { findPicture, type Picture } from './picture.ts'
import { streamsOf } from './streams.ts'
import { stamp } from './vtt-time.ts'

/**
 * Returns the storyboard as WebVTT: for each interval the part of a sheet that shows it (`…jpg#xywh=x,y,w,h`), with relative URLs
 * under the same permit. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND, NOT_FOUND.
 */
export async function storyboardCues({ videoId, permit }: { videoId: string; permit: string }): Promise<string> {
  await openMediaPermit(videoId, permit, 'pictures')
  const { storyboard, durationSec } = await streamsOf(videoId)
  if (!storyboard) throw new ServiceError('NOT_FOUND', { message: 'This video has no seek previews.' })
  return renderStoryboard(storyboard, durationSec)
}

/** Returns one sheet. Errors: see storyboardCues. */
export async function findStoryboardSheet(input: { videoId: string; permit: string; name?: string }): Promise<Picture> {
  const { videoId, permit, name } = input
  await openMediaPermit(videoId, permit, 'pictures')
  const { storyboard } = await streamsOf(videoId)
  return findPicture(name && storyboard?.sheets.includes(name) ? pictureKey(videoId, name) : undefined)
}

/** Renders the cues; the last one lasts to the video's end. */
export function renderStoryboard(storyboard: Storyboard, durationSec: number): string {
  const { everySec, count, columns, rows, width, height, sheets } = storyboard
  const cues = Array.from({ length: count }, (_, at) => {
    const onSheet = at % (columns * rows)
    const [x, y] = [(onSheet % columns) * width, Math.floor(onSheet / columns) * height]
    const end = at === count - 1 ? Math.max(durationSec, at * everySec + everySec) : (at + 1) * everySec
    const sheet = sheets[Math.floor(at / (columns * rows))]
    return `${stamp(at * everySec)} --> ${stamp(end)}\nstoryboard-${sheet}.jpg#xywh=${x},${y},${width},${height}\n`
  })
  return `WEBVTT\n\n${cues.join('\n')}`
}

import { ServiceError } from '../../../errors.ts'
import { timeStamp } from '../../../platform/speech/cue-files.ts'
import { BEARER } from '../../audit/content-access.ts'
import { pictureKey } from '../../videos/media-keys.ts'
import type { Storyboard } from '../../videos/schema.ts'
import { findPicture, mintPicturePermit, openPicture, type Picture } from './picture.ts'
import { streamsOf } from './streams.ts'

/**
 * Returns the storyboard as WebVTT: for each interval, the part of a sheet that shows it (`…jpg#xywh=x,y,w,h`). URLs are relative, under
 * the same permit, or their own for a permit of only the storyboard. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED,
 * VIDEO_NOT_FOUND, NOT_FOUND.
 */
export async function storyboardCues({ videoId, permit }: { videoId: string; permit: string }): Promise<string> {
  const expiresAt = await openPicture(videoId, permit, 'storyboard.vtt')
  const { storyboard, durationSec } = await streamsOf(videoId)
  if (!storyboard) throw new ServiceError('NOT_FOUND', { message: 'This video has no seek previews.' })
  const urlOf = (file: string) => (expiresAt === undefined ? file : `../${mintPicturePermit(BEARER, videoId, file, expiresAt)}/${file}`)
  return renderStoryboard(storyboard, durationSec, urlOf)
}

/** Returns one sheet. Errors: as `storyboardCues`. */
export async function findStoryboardSheet(input: { videoId: string; permit: string; name?: string }): Promise<Picture> {
  const { videoId, permit, name } = input
  await openPicture(videoId, permit, `storyboard-${name}.jpg`)
  const streams = await streamsOf(videoId)
  const set = [streams, ...streams.former].find(({ storyboard }) => name && storyboard?.sheets.includes(name))
  return findPicture(name && set ? pictureKey(set.mediaId, name) : undefined)
}

/** Renders the cues. The last one lasts to the video's end. `urlOf` returns the URL of a sheet's file. */
export function renderStoryboard(storyboard: Storyboard, durationSec: number, urlOf = (file: string) => file): string {
  const { everySec, count, columns, rows, width, height, sheets } = storyboard
  const cues = Array.from({ length: count }, (_, at) => {
    const onSheet = at % (columns * rows)
    const [x, y] = [(onSheet % columns) * width, Math.floor(onSheet / columns) * height]
    const end = at === count - 1 ? Math.max(durationSec, at * everySec + everySec) : (at + 1) * everySec
    const sheet = sheets[Math.floor(at / (columns * rows))]
    return `${timeStamp(at * everySec)} --> ${timeStamp(end)}\n${urlOf(`storyboard-${sheet}.jpg`)}#xywh=${x},${y},${width},${height}\n`
  })
  return `WEBVTT\n\n${cues.join('\n')}`
}

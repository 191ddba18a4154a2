import { SourceRejectedError } from './source-fault.ts'
import { known, type Stream } from './source-streams.ts'

/** Picture codecs, which covers and thumbnails have, but hardly any video. */
const PICTURES = ['mjpeg', 'png', 'bmp', 'gif', 'webp', 'tiff', 'jpeg2000', 'jpegls', 'apng']
/** A stream that is this much shorter than the longest one is not the video. */
const WHOLE = 0.5

export const isPicture = ({ codec_type, disposition }: Stream) =>
  codec_type === 'video' && disposition?.attached_pic !== 1 && disposition?.timed_thumbnails !== 1

/** Returns whether any of these streams can be the video. */
export const hasPicture = (streams: readonly Stream[]): boolean => streams.some((one) => isPicture(one) && known(one))

/**
 * Returns the video stream: not a still picture, with frames, as long as the longest, in a video codec, with the default flag, else the
 * first. Throws SourceRejectedError if none can be decoded.
 */
export function mainPicture(streams: readonly Stream[]): Stream {
  const pictures = streams.filter(isPicture)
  const lengths = pictures.map(lengthOf).filter((seconds) => seconds !== undefined)
  const longest = Math.max(0, ...lengths)
  const rank = (one: Stream): number[] => [
    isStill(one) ? 1 : 0,
    // A transport stream lists streams that it has no packets of.
    one.width === 0 ? 1 : 0,
    (lengthOf(one) ?? longest) < longest * WHOLE ? 1 : 0,
    PICTURES.includes(one.codec_name ?? '') ? 1 : 0,
    one.disposition?.default === 1 ? 0 : 1,
  ]
  const [found] = pictures.filter(known).sort((a, b) => compare(rank(a), rank(b)))
  if (found && !isStill(found)) return found
  const hidden = pictures.filter((one) => !known(one))
  if (hidden.some((one) => one.codec_tag_string === 'encv'))
    throw new SourceRejectedError('This video is copy-protected (DRM) and cannot be transcoded.')
  if (hidden.length > 0)
    throw new SourceRejectedError('This video uses a codec that cannot be decoded. Export it as H.264 and upload the new file.')
  // Refused for what it is.
  if (found) return found
  if (streams.some((one) => one.codec_type === 'audio')) throw new SourceRejectedError('This file contains audio but no video.')
  throw new SourceRejectedError('This file contains no video.')
}

export const isStill = ({ nb_frames, disposition }: Stream): boolean => nb_frames === 1 || disposition?.still_image === 1

const compare = (a: readonly number[], b: readonly number[]) => {
  const at = a.findIndex((value, place) => value !== b[place])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

/** Returns the length that the file states. */
function lengthOf({ duration, tags }: Stream): number | undefined {
  const [h = Number.NaN, m = Number.NaN, s = Number.NaN] = (tags?.DURATION ?? '').split(':').map(Number)
  const tagged = h * 3_600 + m * 60 + s
  return duration ?? (Number.isFinite(tagged) ? tagged : undefined)
}

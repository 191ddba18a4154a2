import { type PictureFile, scoreFiles } from '../../platform/score-files.ts'
import { type Quality, qualityOf, scoresOf } from './vmaf.ts'

/** A span of a file: pictures from `fromSec` on, `count` of them. */
export interface Span {
  path: string
  /** Seconds from the first picture; 0 by default. */
  fromSec?: number
}

interface Input {
  source: Span
  encoded: Span
  /** Pictures that are compared. Throws when a file has fewer. */
  pictures: number
  /** Frames a second of the encoded file, as a number or fraction; the source is converted to it as the pipeline does. */
  rate: string
  /** The size in which a viewer sees the picture: both are scaled to it. */
  display: { width: number; height: number }
  /** Every how many pictures one is scored; 1 by default. */
  every?: number
  threads?: number
  signal?: AbortSignal
}

/**
 * Measures how well an encoded file shows a span of its source, at display size. The source is progressive and SDR. Both are files that this
 * service encoded.
 */
export async function measureQuality(input: Input): Promise<Quality> {
  const { source, encoded, pictures, every = 1, threads = 1, signal } = input
  const read = (span: Span) => picturesOf(span, input)
  const found = await scoreFiles({ original: read(source), encoded: read(encoded), every, threads, ...(signal && { signal }) })
  const quality = qualityOf(scoresOf(found))
  const scored = Math.ceil(pictures / every)
  if (quality.pictures !== scored) throw new Error(`${quality.pictures} of ${scored} pictures could be compared`)
  return quality
}

/** Returns the pictures of a span in the display size, numbered from 0 at the constant rate. */
function picturesOf({ path, fromSec = 0 }: Span, { pictures, rate, display }: Pick<Input, 'pictures' | 'rate' | 'display'>): PictureFile {
  const filters = [
    'setpts=PTS-STARTPTS',
    `fps=${rate}`,
    ...(fromSec > 0 ? [`trim=start=${fromSec.toFixed(6)}`, 'setpts=PTS-STARTPTS'] : []),
    `trim=end_frame=${pictures}`,
    `scale=${display.width}:${display.height}:flags=bicubic,setsar=1,format=yuv420p`,
  ]
  return { path, filters: filters.join(',') }
}

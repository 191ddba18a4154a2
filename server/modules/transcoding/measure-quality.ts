import { z } from 'zod'
import { type PictureFile, scoreFiles } from '../../platform/ffmpeg/score-files.ts'

/** The quality of a span of frames by VMAF's default model: 0 to 100, for a viewer at three heights of a 1080p screen. */
export interface Quality {
  mean: number
  /** The 5th percentile: one frame in twenty is worse. */
  p5: number
  min: number
  /** Number of frames measured. */
  pictures: number
}

/** A span of a file: `count` frames starting at `fromSec`. */
export interface Span {
  path: string
  /** Seconds from the first frame. Defaults to 0. */
  fromSec?: number
}

interface Input {
  source: Span
  encoded: Span
  /** Frames to compare. Throws if a file has fewer. */
  pictures: number
  /** Frame rate of the encoded file, as a number or fraction. The source is converted to it, as the pipeline does. */
  rate: string
  /** The size in which a viewer sees the frames. Both are scaled to it. */
  display: { width: number; height: number }
  /** Scores one in every so many frames. Defaults to 1. */
  every?: number
  threads?: number
  signal?: AbortSignal
}

/**
 * Measures how well an encoded file shows a span of its source, at display size. The source is progressive and SDR. This service encoded
 * both files.
 */
export async function measureQuality(input: Input): Promise<Quality> {
  const { source, encoded, pictures, every = 1, threads = 1, signal } = input
  const read = (span: Span) => picturesOf(span, input)
  const found = await scoreFiles({ original: read(source), encoded: read(encoded), every, threads, ...(signal && { signal }) })
  const quality = qualityOf(scoresOf(found))
  const scored = Math.ceil(pictures / every)
  if (quality.pictures !== scored) throw new Error(`${quality.pictures} of ${scored} frames could be compared`)
  return quality
}

/** Returns a span's frames at the display size, numbered from 0 at the constant rate. */
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

const log = z.object({ frames: z.array(z.object({ metrics: z.object({ vmaf: z.number().min(0).max(100) }) })).min(1) })

/** Returns each frame's score, in order, from libvmaf's log. Throws if it has none. */
export const scoresOf = (found: unknown): number[] => log.parse(found).frames.map(({ metrics }) => metrics.vmaf)

/** Returns the quality of frames with these scores, of which there is at least one. The percentile is by nearest rank. */
export function qualityOf(scores: readonly number[]): Quality {
  const sorted = scores.toSorted((a, b) => a - b)
  const [min] = sorted
  const p5 = sorted[Math.ceil(sorted.length * 0.05) - 1]
  if (min === undefined || p5 === undefined) throw new Error('There are no frames to measure.')
  return { mean: sorted.reduce((sum, one) => sum + one, 0) / sorted.length, p5, min, pictures: sorted.length }
}

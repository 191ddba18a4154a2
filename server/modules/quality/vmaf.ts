import { z } from 'zod'

/** The quality of a span of pictures by VMAF's default model: 0 to 100, for a viewer at three heights of a 1080p screen. */
export interface Quality {
  mean: number
  /** The 5th percentile: one picture of twenty is worse. */
  p5: number
  min: number
  /** Number of pictures measured. */
  pictures: number
}

const log = z.object({ frames: z.array(z.object({ metrics: z.object({ vmaf: z.number().min(0).max(100) }) })).min(1) })

/** Returns the score of each picture, in order, from libvmaf's log. Throws when it has none. */
export const scoresOf = (found: unknown): number[] => log.parse(found).frames.map(({ metrics }) => metrics.vmaf)

/** Returns the quality of pictures with these scores, at least one. The percentile is that of the nearest rank. */
export function qualityOf(scores: readonly number[]): Quality {
  const sorted = scores.toSorted((a, b) => a - b)
  const [min] = sorted
  const p5 = sorted[Math.ceil(sorted.length * 0.05) - 1]
  if (min === undefined || p5 === undefined) throw new Error('There are no pictures to measure.')
  return { mean: sorted.reduce((sum, one) => sum + one, 0) / sorted.length, p5, min, pictures: sorted.length }
}

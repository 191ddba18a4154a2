import { z } from 'zod'

/** Picture qualities, from the fewest bytes to the most. */
export const PICTURE_QUALITIES = ['economy', 'standard', 'high'] as const

/** VMAF range for the highest rendition. Below it, the picture breaks up; above it, viewers cannot see a difference. */
const BOUNDS = { vmafMean: { min: 60, max: 98 }, vmafP5: { min: 40, max: 98 } }
const score = ({ min, max }: { min: number; max: number }) => z.number().min(min).max(max).multipleOf(0.1)

export const vmafNumbers = z
  .strictObject({
    vmafMean: score(BOUNDS.vmafMean).meta({ description: 'Mean VMAF score of all frames, to one decimal.', examples: [94] }),
    vmafP5: score(BOUNDS.vmafP5).meta({ description: 'VMAF score that 95% of frames must reach, at most `vmafMean`.', examples: [89] }),
  })
  .refine(({ vmafMean, vmafP5 }) => vmafP5 <= vmafMean, { path: ['vmafP5'], message: 'Must not be above the mean.' })
export type VmafNumbers = z.output<typeof vmafNumbers>

/** A picture quality by its name, or in numbers. */
export const pictureQuality = z.union(
  [z.enum(PICTURE_QUALITIES), vmafNumbers],
  'Use economy, standard, high, or VMAF scores to one decimal place: {"vmafMean": 60 to 98, "vmafP5": 40 to 98, not above the mean}.',
)
export type PictureQuality = z.output<typeof pictureQuality>

/** A picture quality as it is stored: its name, or its numbers, such as `94/89`. */
export type StoredQuality = (typeof PICTURE_QUALITIES)[number] | `${number}/${number}`

export const storedQuality = (quality: PictureQuality): StoredQuality =>
  typeof quality === 'string' ? quality : `${quality.vmafMean}/${quality.vmafP5}`

/** Returns a stored picture quality as callers write it. */
export function qualityOf(stored: StoredQuality): PictureQuality {
  const [, mean, p5] = /^([\d.]+)\/([\d.]+)$/.exec(stored) ?? []
  return mean && p5 ? { vmafMean: Number(mean), vmafP5: Number(p5) } : (stored as (typeof PICTURE_QUALITIES)[number])
}

/** Returns a picture quality in words, for logs and pages. */
export const describePictureQuality = (quality: PictureQuality): string =>
  typeof quality === 'string' ? `${quality} picture quality` : `a VMAF of ${quality.vmafMean}, 5th percentile ${quality.vmafP5}`

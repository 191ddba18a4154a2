import { z } from 'zod'
import { dayRangeFields, isStorable, NOT_STORABLE, storedId, text } from '../../../platform/text/schema.ts'
import { wholeRange } from '../schema.ts'
import { VIEWER_DIMENSIONS } from './viewer-limits.ts'

/** One value of a dimension, such as a country. */
export const onlyInput = z.object({ dimension: z.enum(VIEWER_DIMENSIONS), value: text().min(1).max(255).refine(isStorable, NOT_STORABLE) })
export type Only = z.output<typeof onlyInput>

/** A range of UTC days, the last 30 when it is left out; of all videos, or of one; of all viewers, or with `only` of some. */
export const viewersInput = z
  .object({ ...dayRangeFields, videoId: storedId(64).optional(), only: onlyInput.optional() })
  .superRefine(wholeRange)
export type ViewersInput = z.output<typeof viewersInput>

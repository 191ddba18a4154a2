import { z } from 'zod'
import { dayRangeFields } from '../../../platform/text/schema.ts'
import { wholeRange } from '../schema.ts'

/** A range of UTC days, the last 30 when it is left out; of all videos, or of one. */
export const viewersInput = z.object({ ...dayRangeFields, videoId: z.string().max(64).optional() }).superRefine(wholeRange)
export type ViewersInput = z.output<typeof viewersInput>

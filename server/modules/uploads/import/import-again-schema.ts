import { z } from 'zod'
import { importVideoInput } from './import-schema.ts'

/** An import that ended without a video, and what the next one uses in its place. */
export const importAgainInput = importVideoInput.pick({ url: true, title: true }).extend({ uploadId: z.string().max(100) })
export type ImportAgainInput = z.output<typeof importAgainInput>

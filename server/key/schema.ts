import { z } from 'zod'
import { SCOPE_NAMES } from '../scopes.ts'
import { isStorable, NOT_STORABLE } from '../video/schema.ts'

export const createKeyInput = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'Give the key a name, so that you know it again.')
    .max(80, 'A name has at most 80 characters.')
    .refine(isStorable, NOT_STORABLE),
  environment: z.enum(['LIVE', 'TEST'], 'Choose Live or Test.'),
  scopes: z
    .array(z.enum(SCOPE_NAMES))
    .min(1, 'Choose at least one scope.')
    .transform((scopes) => [...new Set(scopes)]),
})
export type CreateKeyInput = z.output<typeof createKeyInput>

export const keyIdInput = z.object({ keyId: z.string().min(1).max(64).refine(isStorable, 'This is no id.') })

/** The longest that a replaced key may go on working. */
export const MAX_OVERLAP_SEC = 7 * 86_400

export const rotateKeyInput = keyIdInput.extend({
  overlapSec: z.int().min(0, 'Choose 0 seconds to 7 days.').max(MAX_OVERLAP_SEC, 'Choose 0 seconds to 7 days.'),
})
export type RotateKeyInput = z.output<typeof rotateKeyInput>

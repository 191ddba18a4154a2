import { z } from 'zod'
import { SCOPE_NAMES } from '../scopes.ts'

export const createKeyInput = z.object({
  name: z.string().trim().min(1, 'Give the key a name, so that you know it again.').max(80, 'A name has at most 80 characters.'),
  environment: z.enum(['LIVE', 'TEST'], 'Choose Live or Test.'),
  scopes: z
    .array(z.enum(SCOPE_NAMES))
    .min(1, 'Choose at least one scope.')
    .transform((scopes) => [...new Set(scopes)]),
})
export type CreateKeyInput = z.output<typeof createKeyInput>

export const keyIdInput = z.object({ keyId: z.string().min(1).max(64) })

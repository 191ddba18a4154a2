import { z } from 'zod'
import type { Edit } from '../../../errors.ts'
import { isStorable, moment, oneLine, text } from '../../../platform/text/schema.ts'
import { SCOPE_NAMES } from '../../../scopes.ts'
import { secondFactorInput } from '../../identity/sign-in/schema.ts'

const name = oneLine(text().trim().min(1, 'Enter a name for the key.').max(80, 'A name can have at most 80 characters.'))

/** Maximum number of keys per account. Revoked, expired and rotated keys do not count. */
export const MAX_KEYS = 100
/** Maximum number of networks in a key's allowlist. */
export const MAX_RANGES = 50

/** An IPv4 or IPv6 address, or a network in CIDR form, strictly as RFC 4632 and RFC 4291 define them. */
const ADDRESS = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])

export const addressRange = z
  .string()
  .trim()
  .transform((text, ctx) => {
    if (ADDRESS.safeParse(text).success) return text
    ctx.addIssue({
      code: 'custom',
      message: `“${text.slice(0, 60)}” is not an IP address or network. Use a form such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32.`,
    })
    return z.NEVER
  })

const allowedIps = z.array(addressRange).max(MAX_RANGES, `Enter at most ${MAX_RANGES} addresses and networks.`)

/** Catches mistyped dates. */
const LAST = new Date('2100-01-01T00:00:00Z')
const expiresAt = moment('Choose a date.').max(LAST, 'Choose a date before 2100.').nullable()

const scopes = z
  .array(z.enum(SCOPE_NAMES))
  .min(1, 'Choose at least one scope.')
  .transform((chosen) => [...new Set(chosen)])

/** Proves the second factor of a member who has one. */
const code = secondFactorInput.shape.code.optional()

export const createKeyInput = z.object({
  name,
  environment: z.enum(['LIVE', 'TEST'], 'Choose Live or Test.'),
  scopes,
  /** When the key expires. Null or absent: never. */
  expiresAt: expiresAt.optional(),
  /** Networks that the key can be used from. Empty or absent: any. */
  allowedIps: allowedIps.optional(),
  code,
})
export type CreateKeyInput = z.output<typeof createKeyInput>

export const keyIdInput = z.object({ keyId: z.string().min(1).max(64).refine(isStorable, 'This is not a valid ID.') })

/** Maximum rotation overlap. */
export const MAX_OVERLAP_SEC = 7 * 86_400

export const rotateKeyInput = keyIdInput.extend({
  overlapSec: z.int().min(0, 'Choose 0 seconds to 7 days.').max(MAX_OVERLAP_SEC, 'Choose 0 seconds to 7 days.'),
  code,
})
export type RotateKeyInput = z.output<typeof rotateKeyInput>

/** `expected` is the name that the page showed when the member changed it. */
export const renameKeyInput = keyIdInput.extend({ name, expected: z.string() })
export type RenameKeyInput = Edit<z.output<typeof renameKeyInput>>

/** `expected` is what the page showed. Adding a scope requires `code`. */
export const setScopesInput = keyIdInput.extend({ scopes, expected: z.array(z.string()), code })
export type SetScopesInput = z.output<typeof setScopesInput>

export const restrictKeyInput = keyIdInput.extend({
  expiresAt,
  allowedIps,
  /** Both values as the page showed them, so that another member's concurrent change is not overwritten. */
  expected: z.object({ expiresAt, allowedIps: z.array(z.string()) }),
})
export type RestrictKeyInput = z.output<typeof restrictKeyInput>

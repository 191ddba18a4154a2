import type { AccountCtx } from '../../../context.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { proveSecondFactor } from '../../identity/sessions/prove-second-factor.ts'
import type { ClientInfo } from '../../identity/sign-in/client-ip.ts'
import { requireFutureExpiry } from './expiry.ts'
import { canonicalRange } from './ip-ranges.ts'
import { requireKeySlot } from './key-limit.ts'
import { type CreatedKey, mintKey } from './mint.ts'
import { requireKeyManagement } from './permission.ts'
import type { CreateKeyInput } from './schema.ts'

/**
 * Creates an API key (specification §2.4); only this response contains its value. Requires the second factor of a member who has one.
 * Errors: FORBIDDEN, INVALID_REQUEST (the expiry is in the past, or at `code`), CONFLICT (the account has the maximum number of keys),
 * TOO_MANY_ATTEMPTS.
 */
export async function createKey(ctx: AccountCtx, visitor: ClientInfo, { code, ...input }: CreateKeyInput): Promise<CreatedKey> {
  requireKeyManagement(ctx)
  const permitted = async (tx: Tx) => {
    await requireKeySlot(tx, ctx)
    await requireFutureExpiry(tx, input.expiresAt)
  }
  // A code works once, so it is not asked for before a refusal for another reason.
  await db().$transaction(permitted)
  await proveSecondFactor(ctx, visitor, code)
  const allowedIps = [...new Set((input.allowedIps ?? []).map(canonicalRange))]
  return db().$transaction(async (tx) => {
    await permitted(tx)
    const { value, ...created } = await mintKey(tx, ctx, { ...input, expiresAt: input.expiresAt ?? null, allowedIps })
    const { id, name, environment, scopes, prefix } = created
    const expiresAt = input.expiresAt?.toISOString() ?? null
    await record(tx, ctx, { action: 'key.create', subject: id, after: { name, environment, prefix, scopes, expiresAt, allowedIps } })
    return { ...created, value }
  })
}

import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import { requireFutureExpiry } from './expiry.ts'
import { canonicalRange } from './ip-ranges.ts'
import { requireKeySlot } from './key-limit.ts'
import { type CreatedKey, mintKey } from './mint.ts'
import { requireKeyManagement } from './permission.ts'
import type { CreateKeyInput } from './schema.ts'

/**
 * Creates an API key (specification §2.4); only this response contains its value. Errors: FORBIDDEN, INVALID_REQUEST (the expiry is in the
 * past), CONFLICT (the account has the maximum number of keys).
 */
export async function createKey(ctx: AccountCtx, input: CreateKeyInput): Promise<CreatedKey> {
  requireKeyManagement(ctx)
  const allowedIps = [...new Set((input.allowedIps ?? []).map(canonicalRange))]
  return db().$transaction(async (tx) => {
    await requireKeySlot(tx, ctx)
    await requireFutureExpiry(tx, input.expiresAt)
    const { value, ...created } = await mintKey(tx, ctx, { ...input, expiresAt: input.expiresAt ?? null, allowedIps })
    const { id, name, environment, scopes, prefix } = created
    const expiresAt = input.expiresAt?.toISOString() ?? null
    await record(tx, ctx, { action: 'key.create', subject: id, after: { name, environment, prefix, scopes, expiresAt, allowedIps } })
    return { ...created, value }
  })
}

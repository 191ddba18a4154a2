import { type AccountCtx, actorName } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { newId, sha256 } from '../../../platform/secrets/crypto.ts'
import type { Scope } from '../../../scopes.ts'
import { record } from '../../audit/record.ts'
import { proveSecondFactor } from '../../identity/sessions/reauthenticate.ts'
import type { ClientInfo } from '../../identity/sign-in/client-ip.ts'
import { type KeyEnvironment, newKeyValue, PREFIX_LENGTH } from './format.ts'
import { canonicalRange } from './ip-ranges.ts'
import { requireKeyManagement } from './permission.ts'
import { type CreateKeyInput, MAX_KEYS } from './schema.ts'

/**
 * Creates an API key (specification §2.4). Only this response contains its value. Requires the second factor of a member who has one.
 * Errors: FORBIDDEN, INVALID_REQUEST (the expiry is in the past, or at `code`), CONFLICT (the account has the maximum number of keys),
 * TOO_MANY_ATTEMPTS.
 */
export async function createKey(ctx: AccountCtx, visitor: ClientInfo, { code, ...input }: CreateKeyInput): Promise<CreatedKey> {
  requireKeyManagement(ctx)
  const permitted = async (tx: Tx) => {
    await requireKeySlot(tx, ctx)
    await requireFutureExpiry(tx, input.expiresAt)
  }
  // A code works only once, so check for other refusals before asking for it.
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

export interface CreatedKey {
  id: string
  name: string
  environment: KeyEnvironment
  scopes: Scope[]
  prefix: string
  /** The only place where the value leaves the service. */
  value: string
}

interface KeyFields {
  name: string
  environment: KeyEnvironment
  scopes: Scope[]
  /** The quota that an operator set. */
  dailyQuota?: number | null
  expiresAt: Date | null
  /** In canonical form (ip-ranges.ts). */
  allowedIps: string[]
  /** The rotation chain that the key continues. */
  quotaGroup?: string | null
}

/** Inserts a new key's row with its prefix and SHA-256, but not its value. */
export async function mintKey(tx: Tx, ctx: AccountCtx, fields: KeyFields): Promise<CreatedKey> {
  const value = newKeyValue(fields.environment)
  const id = newId('key')
  const prefix = value.slice(0, PREFIX_LENGTH)
  const hash = Buffer.from(sha256(value))
  await tx.apiKey.create({ data: { ...fields, id, accountId: ctx.accountId, prefix, hash, createdById: actorName(ctx.actor) } })
  const { name, environment, scopes } = fields
  return { id, name, environment, scopes, prefix, value }
}

const PAST = 'This date is in the past. Choose a later date, or disable the key instead.'

/** Refuses an expiry that is not in the future by the database's clock. Errors: INVALID_REQUEST with `details` for the form field. */
export async function requireFutureExpiry(tx: Tx, expiresAt: Date | null | undefined): Promise<void> {
  if (!expiresAt) return
  const [row] = await tx.$queryRaw<[{ ahead: boolean }]>`SELECT ${expiresAt}::timestamptz > service_clock() AS ahead`
  if (row.ahead) return
  throw new ServiceError('INVALID_REQUEST', { message: PAST, details: [{ in: 'body', path: 'expiresAt', message: PAST }] })
}

/**
 * Refuses another key when the account has the maximum. Locks the account's row until the transaction ends, so that one of two concurrent
 * requests for the last key is refused. Errors: CONFLICT with `details.limit`.
 */
export async function requireKeySlot(tx: Tx, { accountId }: Pick<AccountCtx, 'accountId'>): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
  const [row] = await tx.$queryRaw<[{ keys: number }]>`
    SELECT count(*)::int AS keys FROM api_key
    WHERE account_id = ${accountId} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > service_clock())`
  if (row.keys < MAX_KEYS) return
  const message = `Your account has reached the limit of ${MAX_KEYS} keys. Revoke an unused key, then try again.`
  throw new ServiceError('CONFLICT', { message, details: { limit: MAX_KEYS } })
}

import { type AccountCtx, actorName } from '../../../context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { newId, sha256 } from '../../../platform/secrets/crypto.ts'
import type { Scope } from '../../../scopes.ts'
import { type KeyEnvironment, newKeyValue, PREFIX_LENGTH } from './format.ts'

export interface CreatedKey {
  id: string
  name: string
  environment: KeyEnvironment
  scopes: Scope[]
  prefix: string
  /** The only occurrence of the value outside the service. */
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
  quotaGroup?: string
}

/** Inserts a new key's row with its prefix and SHA-256, without the value. */
export async function mintKey(tx: Tx, ctx: AccountCtx, fields: KeyFields): Promise<CreatedKey> {
  const value = newKeyValue(fields.environment)
  const id = newId('key')
  const prefix = value.slice(0, PREFIX_LENGTH)
  const hash = Buffer.from(sha256(value))
  await tx.apiKey.create({ data: { ...fields, id, accountId: ctx.accountId, prefix, hash, createdById: actorName(ctx.actor) } })
  const { name, environment, scopes } = fields
  return { id, name, environment, scopes, prefix, value }
}

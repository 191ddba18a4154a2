import { record } from '../audit/record.ts'
import { type AccountCtx, actorName } from '../context.ts'
import { newId, sha256 } from '../infra/crypto.ts'
import { db } from '../infra/db.ts'
import type { Scope } from '../scopes.ts'
import { type KeyEnvironment, newKeyValue, PREFIX_LENGTH } from './format.ts'
import { manages } from './permission.ts'
import type { CreateKeyInput } from './schema.ts'

export interface CreatedKey {
  id: string
  name: string
  environment: KeyEnvironment
  scopes: Scope[]
  prefix: string
  /** The only time it leaves the service. */
  value: string
}

/** Makes an API key (specification §2.4). Stores its prefix and SHA-256, never the value. Errors: FORBIDDEN. */
export async function createKey(ctx: AccountCtx, input: CreateKeyInput): Promise<CreatedKey> {
  manages(ctx)
  const { name, environment, scopes } = input
  const value = newKeyValue(environment)
  const id = newId('key')
  const prefix = value.slice(0, PREFIX_LENGTH)
  await db().$transaction(async (tx) => {
    const hash = Buffer.from(sha256(value))
    await tx.apiKey.create({
      data: { id, accountId: ctx.accountId, name, environment, prefix, hash, scopes, createdById: actorName(ctx.actor) },
    })
    await record(tx, ctx, { action: 'key.create', subject: id, after: { name, environment, prefix, scopes } })
  })
  return { id, name, environment, scopes, prefix, value }
}

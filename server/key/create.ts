import { record } from '../audit/record.ts'
import type { AccountCtx } from '../context.ts'
import { db } from '../infra/db.ts'
import { type CreatedKey, mintKey } from './mint.ts'
import { manages } from './permission.ts'
import type { CreateKeyInput } from './schema.ts'

/** Makes an API key (specification §2.4); the answer holds its value, for this once. Errors: FORBIDDEN. */
export async function createKey(ctx: AccountCtx, input: CreateKeyInput): Promise<CreatedKey> {
  manages(ctx)
  return db().$transaction(async (tx) => {
    const { value, ...made } = await mintKey(tx, ctx, input)
    const { id, name, environment, scopes, prefix } = made
    await record(tx, ctx, { action: 'key.create', subject: id, after: { name, environment, prefix, scopes } })
    return { ...made, value }
  })
}

import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { type ListedKey, readKeys } from './list-keys.ts'

/** Returns one key of the account, as in the list. Errors: NOT_FOUND, also for another account's. */
export async function getKey(ctx: AccountCtx, { keyId }: { keyId: string }): Promise<ListedKey> {
  const [key] = await readKeys(ctx, keyId)
  if (!key) throw new ServiceError('NOT_FOUND', { message: 'No such key exists in your account.' })
  return key
}

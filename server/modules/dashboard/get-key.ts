import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { keyOf, type ListedKey, readChains } from './list-keys.ts'

/** Returns one key of the account, as in the list, even if it was replaced by rotation. Errors: NOT_FOUND, also for another account's. */
export async function getKey(ctx: AccountCtx, { keyId }: { keyId: string }): Promise<ListedKey> {
  const [chain] = (await readChains(ctx, keyId)).values()
  const row = chain?.find(({ id }) => id === keyId)
  if (!chain || !row) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such key.' })
  return keyOf(chain, row)
}

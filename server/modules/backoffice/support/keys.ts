import { db } from '../../../platform/database/database.ts'
import { type ListedKey, listKeys } from '../../dashboard/list-keys.ts'
import { openAccount } from './open-account.ts'
import type { StaffCtx } from './staff.ts'

export interface SupportKey extends ListedKey {
  /** The daily quota that an operator or support set; null where the tier's applies. */
  ownQuota: number | null
}

/** Returns every key of an account as its owner sees it, without values and hashes. Errors: NOT_FOUND. */
export async function supportKeys(staff: StaffCtx, { accountId }: { accountId: string }): Promise<SupportKey[]> {
  const ctx = await openAccount(staff, { accountId, page: 'keys' })
  const [keys, own] = await Promise.all([
    listKeys(ctx),
    db().apiKey.findMany({ where: { accountId: ctx.accountId, dailyQuota: { not: null } }, select: { id: true, dailyQuota: true } }),
  ])
  const quotas = new Map(own.map(({ id, dailyQuota }) => [id, dailyQuota]))
  return keys.map((key) => ({ ...key, ownQuota: quotas.get(key.id) ?? null }))
}

import { db } from '../../platform/database.ts'
import { type ListedKey, listKeys } from '../dashboard/list-keys.ts'
import { openAccount } from './open-account.ts'
import type { StaffCtx } from './staff.ts'

export interface SupportKey extends ListedKey {
  /** What an operator or support set its daily quota to; null where the tier's holds. */
  ownQuota: number | null
}

/** Every key of an account as its owner sees it, never a value or a hash. Errors: NOT_FOUND. */
export async function supportKeys(staff: StaffCtx, { accountId }: { accountId: string }): Promise<SupportKey[]> {
  const ctx = await openAccount(staff, { accountId, page: 'keys' })
  const [keys, own] = await Promise.all([
    listKeys(ctx),
    db().apiKey.findMany({ where: { accountId: ctx.accountId, dailyQuota: { not: null } }, select: { id: true, dailyQuota: true } }),
  ])
  const quotas = new Map(own.map(({ id, dailyQuota }) => [id, dailyQuota]))
  return keys.map((key) => ({ ...key, ownQuota: quotas.get(key.id) ?? null }))
}

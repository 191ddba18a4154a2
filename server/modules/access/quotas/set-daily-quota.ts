import type { AccountId } from '../../../context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { chainOf } from '../keys/chain.ts'

/** Sets the daily quota of a key and of the keys of its rotation chain, which share one count; null restores the tier's. */
export async function setDailyQuota(tx: Tx, accountId: AccountId, keyId: string, dailyQuota: number | null): Promise<void> {
  const sql = `UPDATE api_key SET daily_quota = $3 WHERE account_id = $2 AND id = ANY (${chainOf('$1', '$2')})`
  await tx.$executeRawUnsafe(sql, keyId, accountId, dailyQuota)
}

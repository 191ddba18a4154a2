import type { Tx } from '../../../platform/database/database.ts'

/** The wallet's row, locked for the rest of the transaction. Amounts in micro-credits. */
export interface LockedWallet {
  accountId: string
  balance: bigint
  posted: bigint
  entries: number
  head: string
  lowBalanceThreshold: bigint | null
  /**
   * The database's clock after the lock was acquired, in whole milliseconds; never before the last entry's, so that entries are also
   * ordered by time.
   */
  now: Date
}

/** Locks the wallet, so that all changes of its balance wait, in every process. */
export async function lockWallet(tx: Tx, accountId: string): Promise<LockedWallet> {
  const [row] = await tx.$queryRaw<Omit<LockedWallet, 'now'>[]>`
    SELECT account_id AS "accountId", balance, posted, entries, encode(head, 'hex') AS head, low_balance_threshold AS "lowBalanceThreshold"
    FROM wallet WHERE account_id = ${accountId} FOR UPDATE`
  if (!row) throw new Error(`no wallet for ${accountId}`)
  // A separate statement, because the previous one may have read clock and entries before it waited.
  const [clock] = await tx.$queryRaw<{ now: Date }[]>`
    SELECT GREATEST(service_clock(),
      (SELECT at FROM ledger_entry WHERE account_id = ${accountId} AND seq = ${row.entries})) AS now`
  return { ...row, ...(clock as { now: Date }) }
}

import type { AccountId } from '../../context.ts'
import { query, type Runner, vital } from '../../platform/database.ts'
import { refusalOf } from '../api-keys/refusal.ts'
import type { QuotaState } from './headers.ts'
import { activeKeys, activeKeyValues, CLOCK, DAILY_COUNT, QUOTA_GROUP, SPENDABLE } from './rule.ts'

interface Row {
  quota: number
  issued: number
  /** Free tokens that the account has left; null where they do not limit the key now. */
  account_left: number | null
  reset_at: number
  reset_in: number
}

/** Returns the key's counters without taking a unit. Errors: INVALID_API_KEY when the key no longer works, ACCOUNT_SUSPENDED. */
export async function remainingQuota(keyId: string, accountId: AccountId, on: Runner = vital()): Promise<QuotaState> {
  const [row] = await query<Row>('quota-left', LEFT, [keyId, accountId, ...activeKeyValues()], on)
  if (!row) throw await refusalOf(keyId)
  const remaining = Math.max(0, Math.min(row.quota - row.issued, row.account_left ?? Number.POSITIVE_INFINITY))
  return { limit: row.quota, remaining, resetAt: row.reset_at, resetIn: Math.max(1, row.reset_in) }
}

const LEFT = `
  WITH clock AS MATERIALIZED (${CLOCK}), k AS (${activeKeys('k.id = $1')}),
  purse AS (
    SELECT k.price > ${SPENDABLE} AS broke, k.account_free - CASE WHEN w.free_day >= clock.day THEN w.free_issued ELSE 0 END AS free_left
    FROM k JOIN wallet w USING (account_id) LEFT JOIN key_cap c ON c.key_id = ${QUOTA_GROUP} CROSS JOIN clock)
  SELECT CASE WHEN broke THEN LEAST(k.quota, $3::int) ELSE k.quota END AS quota,
    COALESCE(q.issued, 0) AS issued, CASE WHEN broke OR k.price = 0 THEN free_left::float8 END AS account_left,
    extract(epoch FROM clock.reset_at)::float8 AS reset_at, ceil(extract(epoch FROM clock.reset_at - clock.now))::float8 AS reset_in
  FROM k CROSS JOIN clock CROSS JOIN purse ${DAILY_COUNT}`

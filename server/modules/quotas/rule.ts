import { env } from '../../platform/config.ts'
import { defaultLimit } from '../accounts/limit.ts'
import { isActiveKey } from '../api-keys/active.ts'
import { CHAIN } from '../api-keys/chain.ts'
import { FREE_DAILY_QUOTA, TOKEN_PRICE } from '../pricing/schema.ts'

/** SQL: the current instant, its UTC day and the end of that day, by the database's clock. */
export const CLOCK = `
  SELECT service_now() AS now, (service_now() AT TIME ZONE 'UTC')::date AS day,
    ((service_now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC' AS reset_at`

/** SQL: tokens that the key of row `k`, of the account in row `a`, may issue per UTC day ($3 on the free tier, $4 on the paid one). */
export const DAILY_QUOTA = `CASE
    WHEN k.environment = 'TEST' THEN $3::int
    WHEN k.daily_quota IS NOT NULL THEN k.daily_quota
    WHEN a.tier = 'PAID' THEN $4::int ELSE $3::int END`

/**
 * SQL: working keys among those that `which` selects of account $2, unless suspended, with daily quota ($3 free, $4 paid), price per token
 * in micro-credits ($5 paid; 0 for test keys) and the account's free tokens per UTC day ($6 or the value set by support; null when an
 * operator set the key's quota). service_clock() advances within a statement, so a revocation committed while it waited is seen.
 */
export const activeKeys = (which: 'k.id = $1' | 'k.id = ANY ($1)') => `
  SELECT k.id, k.account_id, k.prefix, CASE WHEN k.environment = 'LIVE' AND a.tier = 'PAID' THEN $5::bigint ELSE 0 END AS price, ${DAILY_QUOTA} AS quota,
    k.quota_group, CASE WHEN k.environment = 'TEST' OR k.daily_quota IS NULL THEN COALESCE(l.value, $6::bigint) END AS account_free
  FROM api_key k JOIN account a ON a.id = k.account_id LEFT JOIN account_limit l ON l.account_id = a.id AND l.name = 'freeTokens'
  WHERE ${which} AND k.account_id = $2 AND ${isActiveKey('service_clock()')} AND NOT k.suspended`

/** SQL: the first day of the UTC month of the instant in `clock`. */
const MONTH = "date_trunc('month', clock.now AT TIME ZONE 'UTC')::date"

/**
 * SQL: micro-credits that wallet `w` and the key's cap `c` (a row of nulls if absent) may still spend: the balance, or the rest of a
 * monthly cap. LEAST ignores nulls. When this is less than the price of one token, the free quota applies, as in grant_tokens().
 */
export const SPENDABLE = `LEAST(w.balance, ${capLeft('w')}, ${capLeft('c')})`

/** SQL: what leaves less than `price` in SPENDABLE, as grant_tokens() names it; null when nothing does. */
export const heldBy = (price: string) => `CASE WHEN w.balance < ${price} THEN 'credit'
    WHEN ${capLeft('w')} < ${price} THEN 'account_cap' WHEN ${capLeft('c')} < ${price} THEN 'key_cap' END`

function capLeft(row: 'w' | 'c'): string {
  return `${row}.month_cap - CASE WHEN ${row}.month >= ${MONTH} THEN ${row}.month_spent ELSE 0 END`
}

/** Values of $3 to $5 in the SQL above. */
export const quotaValues = () => [FREE_DAILY_QUOTA, env().PAID_DAILY_QUOTA, TOKEN_PRICE]
/** Values of $3 to $6 in `activeKeys`. */
export const activeKeyValues = () => [...quotaValues(), defaultLimit('freeTokens')]

/** SQL: the id under which the daily count and spending cap of the key of row `k` are kept. */
export const QUOTA_GROUP = CHAIN

/** SQL: the row of the daily count that the key of row `k` uses, as `issued` of row `q`, joined after `clock`. */
export const DAILY_COUNT = `LEFT JOIN LATERAL (
    SELECT issued FROM quota_group_day g WHERE k.quota_group IS NOT NULL AND g.quota_group = k.quota_group AND g.day = clock.day
    UNION ALL
    SELECT issued FROM key_day own WHERE k.quota_group IS NULL AND own.key_id = k.id AND own.day = clock.day
  ) q ON true`

import type { AccountId } from '../../../context.ts'
import { env } from '../../../platform/config/config.ts'
import { query, type Runner, vital } from '../../../platform/database/database.ts'
import { FREE_DAILY_QUOTA, TOKEN_PRICE } from '../../billing/price-schema.ts'
import { defaultLimit } from '../../identity/accounts/limit.ts'
import { isActiveKey, refusalOf } from '../keys/active.ts'

/**
 * Why a key gets less than its own quota today. On the paid tier, it gets at most the free quota once the credit is used up or a monthly
 * spending cap is reached. On both tiers: its account's free tokens are used up.
 */
export type QuotaConstraint = 'credit' | 'account_cap' | 'key_cap' | 'account_free'

/** A key's current counters. */
export interface QuotaState {
  /** The quota that applies: the free one once the credit is used up. */
  limit: number
  remaining: number
  /** Unix seconds of the next UTC midnight, by the database's clock. */
  resetAt: number
  /** Seconds until `resetAt`, at least 1. */
  resetIn: number
}

/** Result of one grant for one key, shared by the requests batched in the statement. */
export interface Grant extends Omit<QuotaState, 'remaining'> {
  /** How many of the requested tokens may be issued. */
  granted: number
  /** Tokens issued today after this grant, including the granted ones, by this key and its rotation chain. */
  issued: number
  /** Free tokens that the account has left today after this grant. Undefined if they do not limit this key. */
  accountLeft: number | undefined
  /** Tokens that the key has left today after this grant. Below 0 if the quota was lowered below what was issued. */
  left: number
  held: QuotaConstraint | undefined
  /** The database's clock, Unix seconds with milliseconds: when the tokens are issued. */
  now: number
}

interface GrantRow extends Omit<Grant, 'accountLeft' | 'held'> {
  id: string
  accountLeft: number | null
  held: QuotaConstraint | null
}

/** The installation's terms for the daily quota, as the parameter `p_terms` of key_quota() and grant_tokens(). */
export const quotaTerms = () =>
  JSON.stringify({ free: FREE_DAILY_QUOTA, paid: env().PAID_DAILY_QUOTA, price: TOKEN_PRICE, accountFree: defaultLimit('freeTokens') })

/**
 * Grants up to the requested units of each key's daily quota (specification §8) in one statement, and debits their price on the paid tier.
 * Exact per UTC day at any concurrency and number of processes. Stores the events for a low balance and a used-up quota. Its row lock makes
 * a committed revocation or loss of `video:read` final: nothing is granted afterwards, and the result omits the key.
 */
export async function grantKeys(
  accountId: AccountId,
  requested: ReadonlyMap<string, number>,
  on: Runner = vital(),
): Promise<Map<string, Grant>> {
  const values = [[...requested.keys()], accountId, [...requested.values()], quotaTerms()]
  const rows = await query<GrantRow>('grant-quota', GRANT, values, on)
  return new Map(
    rows.map(({ id, held, accountLeft, ...row }) => [id, { ...row, held: held ?? undefined, accountLeft: accountLeft ?? undefined }]),
  )
}

/** Grants units to one key, like `grantKeys`. Undefined if the key no longer works. */
export const grant = async (keyId: string, accountId: AccountId, wanted: number, on?: Runner): Promise<Grant | undefined> =>
  (await grantKeys(accountId, new Map([[keyId, wanted]]), on)).get(keyId)

/** Returns how many tokens the key could still issue today after a unit of the grant that `later` more units followed. */
export const remainingAfter = ({ left }: Pick<Grant, 'left'>, later = 0): number => Math.max(0, left + later)

/** Returns the key's counters without taking a unit. Errors: INVALID_API_KEY if the key no longer works, ACCOUNT_SUSPENDED. */
export async function remainingQuota(keyId: string, accountId: AccountId, on: Runner = vital()): Promise<QuotaState> {
  const [row] = await query<Omit<QuotaState, 'remaining'> & { left: number }>('quota-left', LEFT, [keyId, accountId, quotaTerms()], on)
  if (!row) throw await refusalOf(keyId)
  const { left, ...state } = row
  return { ...state, remaining: remainingAfter({ left }) }
}

const DAY_SEC = 86_400

/** Returns the counters of specification §8 and, in addition, the fields of the IETF draft on rate limit headers. */
export function rateLimitHeaders({ limit, remaining, resetAt, resetIn }: QuotaState): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetAt),
    RateLimit: `"daily";r=${remaining};t=${resetIn}`,
    'RateLimit-Policy': `"daily";q=${limit};w=${DAY_SEC}`,
  }
}

/** SQL: a state from key_quota() or grant_tokens(), in the row `q`. */
const STATE = `q.daily_limit AS limit, q.tokens_left::float8 AS left, extract(epoch FROM q.reset_at)::float8 AS "resetAt",
    GREATEST(1, ceil(extract(epoch FROM q.reset_at - q.now)))::float8 AS "resetIn"`

/**
 * SQL: whether the key in row `k` can issue tokens. service_clock() advances while a statement waits, so it sees a revocation in the
 * meantime.
 */
const MAY_ISSUE = `${isActiveKey('service_clock()')} AND NOT k.suspended`

/*
 * The lock on a key's row orders this statement and a revocation: whichever commits second sees the other. Locks keys, then their days, in
 * ID order to prevent deadlocks (a plain join has hash order). grant_tokens() is a database function because each of its steps must see
 * what committed while the previous step waited for a lock.
 */
const GRANT = `
  WITH key AS MATERIALIZED (
    SELECT k.id FROM api_key k WHERE k.id = ANY ($1) AND k.account_id = $2 AND ${MAY_ISSUE} AND 'video:read' = ANY (k.scopes)
    ORDER BY k.id FOR SHARE OF k),
  asked AS MATERIALIZED (
    SELECT key.id, wanted FROM key JOIN unnest($1::text[], $3::int[]) AS caller(id, wanted) USING (id) ORDER BY key.id)
  SELECT asked.id, q.granted, q.issued, q.held, q.account_left::float8 AS "accountLeft",
    extract(epoch FROM q.now)::float8 AS now, ${STATE}
  FROM asked, grant_tokens(asked.id, $2, wanted, $4::jsonb) AS q`

const LEFT = `
  SELECT ${STATE} FROM api_key k JOIN key_quota($3::jsonb) AS q ON q.key_id = k.id
  WHERE k.id = $1 AND k.account_id = $2 AND ${MAY_ISSUE}`

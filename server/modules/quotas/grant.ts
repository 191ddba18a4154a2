import type { AccountId } from '../../context.ts'
import { query, type Runner, vital } from '../../platform/database.ts'
import { activeKeys, activeKeyValues } from './rule.ts'

/**
 * Reason why a key gets less than its own quota today. On the paid tier it then gets at most the free quota, because the credit is used up
 * or a monthly spending cap is reached. On both tiers: the free tokens of its account are used up.
 */
export type QuotaConstraint = 'credit' | 'account_cap' | 'key_cap' | 'account_free'

/** Result of one grant for one key, shared by the requests that were batched in the statement. */
export interface Grant {
  /** How many of the requested tokens may be issued. */
  granted: number
  /** Tokens issued today after this grant, including the granted ones, by this key and the keys of its rotation chain. */
  issued: number
  /** Free tokens that the account has left today after this grant; undefined where they do not limit this key. */
  accountLeft: number | undefined
  /** The quota that applies after this grant: the free one when the credit is used up. */
  limit: number
  held: QuotaConstraint | undefined
  /** Unix seconds of the next UTC midnight, by the database's clock. */
  resetAt: number
  /** Seconds until `resetAt`, at least 1. */
  resetIn: number
  /** The database's clock, Unix seconds: `iat` of the tokens. */
  now: number
}

interface Row {
  id: string
  granted: number
  issued: number
  quota: number
  held: QuotaConstraint | null
  room: number | null
  reset_at: number
  reset_in: number
  now: number
}

/**
 * Grants up to the requested units of each key's daily quota (specification §8) in one statement, and debits their price on the paid tier.
 * Exact per UTC day at any concurrency and number of processes; stores the events of a low balance and a used-up quota. Its row lock makes
 * a committed revocation or loss of `video:read` final: nothing is granted afterwards. Such a key is absent from the result.
 */
export async function grantKeys(
  accountId: AccountId,
  requested: ReadonlyMap<string, number>,
  on: Runner = vital(),
): Promise<Map<string, Grant>> {
  const rows = await query<Row>('grant-quota', GRANT, [[...requested.keys()], accountId, ...activeKeyValues(), [...requested.values()]], on)
  return new Map(
    rows.map(({ id, granted, issued, quota, held, room, reset_at, reset_in, now }) => [
      id,
      {
        ...{ granted, issued, limit: quota, held: held ?? undefined, accountLeft: room ?? undefined },
        ...{ resetAt: reset_at, resetIn: Math.max(1, reset_in), now },
      },
    ]),
  )
}

/** Grants units to one key, like `grantKeys`; returns undefined when the key no longer works. */
export const grant = async (keyId: string, accountId: AccountId, wanted: number, on?: Runner): Promise<Grant | undefined> =>
  (await grantKeys(accountId, new Map([[keyId, wanted]]), on)).get(keyId)

/** Returns how many tokens the key may still issue today, after a unit of the grant that `later` further units followed. */
export function remainingAfter({ limit, issued, accountLeft = Number.POSITIVE_INFINITY }: Grant, later = 0): number {
  return Math.max(0, Math.min(limit - issued, accountLeft) + later)
}

/*
 * The lock on a key's row orders this statement against a revocation: whichever commits second sees the other. Locks keys, then their days,
 * in id order to prevent deadlocks (a plain join has hash order). grant_tokens() is a database function because each of its steps must see
 * what committed while the previous step waited for a lock.
 */
const GRANT = `
  WITH key AS MATERIALIZED (${activeKeys('k.id = ANY ($1)')} AND 'video:read' = ANY (k.scopes) ORDER BY k.id FOR SHARE OF k),
  asked AS MATERIALIZED (
    SELECT key.*, wanted FROM key JOIN unnest($1::text[], $7::int[]) AS caller(id, wanted) USING (id) ORDER BY key.id)
  SELECT asked.id, o_granted AS granted, o_issued AS issued, o_limit AS quota, o_held AS held, o_room::float8 AS room,
    extract(epoch FROM o_reset_at)::float8 AS reset_at,
    ceil(extract(epoch FROM o_reset_at - o_now))::float8 AS reset_in,
    floor(extract(epoch FROM o_now))::float8 AS now
  FROM asked, grant_tokens(asked.id, account_id, prefix, quota, $3::int, price, wanted, quota_group, account_free)`

import type { AccountId } from '../../context.ts'
import { query, type Runner } from '../../platform/database.ts'
import { activeKeys, activeKeyValues } from './rule.ts'

/**
 * Why a key gets less than its own quota today. On the paid tier it has no more than the free quota: no credit left, or a month's spending
 * cap reached. On both: the free tokens of its account are used up.
 */
export type Held = 'credit' | 'account_cap' | 'key_cap' | 'account_free'

/** What one granting statement gave to the callers that came together. */
export interface Grant {
  /** How many of the asked-for tokens may be issued. */
  granted: number
  /** Tokens issued today after this grant, the granted ones included, by this key and those it replaced or that replaced it. */
  issued: number
  /** Free tokens that the account has left today after this grant; undefined where they do not bound this key. */
  accountLeft: number | undefined
  /** The quota as it stands after this grant: the free one where credit has ended. */
  limit: number
  held: Held | undefined
  /** Unix seconds of the next UTC midnight, by the database's clock. */
  resetAt: number
  /** Seconds until then, at least 1. */
  resetIn: number
  /** The database's clock, Unix seconds: `iat` of the tokens. */
  now: number
}

interface Row {
  id: string
  granted: number
  issued: number
  quota: number
  held: Held | null
  room: number | null
  reset_at: number
  reset_in: number
  now: number
}

/**
 * Takes up to so many units of each key's daily quota (specification §8), and on the paid tier their price from the account's wallet, in
 * one statement: exactly the quota is granted in a UTC day and exactly the granted tokens are paid for, whatever the concurrency
 * and the number of processes; events of a low balance and of a used-up quota are stored with it. The row lock on a key makes a
 * revocation that has committed final: afterwards nothing is granted. A key that no longer works is left out of the answer.
 */
export async function grantKeys(accountId: AccountId, wanted: ReadonlyMap<string, number>, on?: Runner): Promise<Map<string, Grant>> {
  const rows = await query<Row>('grant-quota', GRANT, [[...wanted.keys()], accountId, ...activeKeyValues(), [...wanted.values()]], on)
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

/** The same for one key; undefined when it no longer works. */
export const grant = async (keyId: string, accountId: AccountId, wanted: number, on?: Runner): Promise<Grant | undefined> =>
  (await grantKeys(accountId, new Map([[keyId, wanted]]), on)).get(keyId)

/** Returns how many tokens the key may still issue today, as seen by a unit of the grant after which `later` more were granted. */
export function remainingAfter({ limit, issued, accountLeft = Number.POSITIVE_INFINITY }: Grant, later = 0): number {
  return Math.max(0, Math.min(limit - issued, accountLeft) + later)
}

/*
 * The lock on a key's row orders this statement against a revocation: whichever commits second sees the other. Keys, and then their days,
 * are locked in one order everywhere: a plain join would grant in whatever order its hash has, and two statements could wait for each
 * other. The function stands in the database, since its steps must each see what committed while the one before waited.
 */
const GRANT = `
  WITH key AS MATERIALIZED (${activeKeys('k.id = ANY ($1)')} ORDER BY k.id FOR SHARE OF k),
  asked AS MATERIALIZED (
    SELECT key.*, wanted FROM key JOIN unnest($1::text[], $7::int[]) AS caller(id, wanted) USING (id) ORDER BY key.id)
  SELECT asked.id, o_granted AS granted, o_issued AS issued, o_limit AS quota, o_held AS held, o_room::float8 AS room,
    extract(epoch FROM o_reset_at)::float8 AS reset_at,
    ceil(extract(epoch FROM o_reset_at - o_now))::float8 AS reset_in,
    floor(extract(epoch FROM o_now))::float8 AS now
  FROM asked, grant_tokens(asked.id, account_id, prefix, quota, $3::int, price, wanted, quota_group, account_free)`

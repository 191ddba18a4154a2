import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database/database.ts'
import type { Scope } from '../../scopes.ts'
import { CHAIN } from '../access/keys/end-key.ts'
import type { KeyEnvironment } from '../access/keys/format.ts'
import { type KeyState, keyStateOf } from '../access/keys/state.ts'
import { quotaTerms } from '../access/quotas/daily-quota.ts'
import { exhaustedAt } from '../access/quotas/pace.ts'
import { actorOf, type ReadEntry } from '../audit/read.ts'

/** One key of a rotation chain. */
export interface Rotation {
  id: string
  prefix: string
  state: KeyState
  createdAt: Date
  /** Name or email address of the user who created it, or rotated its predecessor. Null if unknown. */
  createdBy: string | null
  /** When it stopped working, or will. */
  revokedAt: Date | null
  lastUsedAt: Date | null
  /** Authenticated requests with it, of all time. */
  requestCount: number
  /** As of `ListedKey`. */
  disabledBy: ListedKey['disabledBy']
}

/**
 * A key. The counts and the last use include the keys that it replaced, or that replaced it, by rotation: to its users, they are one key.
 */
export interface ListedKey {
  id: string
  name: string
  environment: KeyEnvironment
  prefix: string
  scopes: Scope[]
  state: KeyState
  createdAt: Date
  /** Name or email address of its creator. Null if unknown. */
  createdBy: string | null
  /** Authenticated requests, of all time. */
  requestCount: number
  /**
   * Since UTC midnight: authenticated requests, tokens issued, tokens refused by the quota. `counted` is how many tokens count against its
   * quota.
   */
  today: { requests: number; issued: number; refused: number; counted: number }
  /** Tokens it can issue today. */
  dailyQuota: number
  /** When it will have issued them at today's pace. Null if they last the day. */
  exhaustedAt: Date | null
  /** Why a key on the paid tier has the free quota: credit is exhausted, or a monthly cap is reached. Otherwise null. */
  held: 'credit' | 'account_cap' | 'key_cap' | null
  lastUsedAt: Date | null
  /** When it stopped working, or will: a replaced key works until its rotation overlap ends. */
  revokedAt: Date | null
  expiresAt: Date | null
  disabledAt: Date | null
  /** Who disabled it, and the reason they gave, from the audit log. Null unless it is disabled. */
  disabledBy: { kind: ReadEntry['actor']['kind']; name: string; reason: string | null } | null
  /** Networks it can be used from. Empty means any. */
  allowedIps: string[]
  /** The keys of its rotation chain, including itself, newest first. Empty for a key that was never rotated. */
  rotations: Rotation[]
}

interface Row extends Omit<ListedKey, 'state' | 'today' | 'exhaustedAt' | 'disabledBy' | 'rotations'> {
  disabler: { actor: string; actorEmail: string | null; reason: string | null } | null
  chain: string
  now: Date
  requests: number
  issued: number
  refused: number
  counted: number
}

/** Returns every key of the account, for a rotation chain the newest. Working ones first, newest first. No value and no hash. */
export async function listKeys(ctx: AccountCtx): Promise<ListedKey[]> {
  const keys = [...(await readChains(ctx, null)).values()].map((chain) => keyOf(chain, chain[0] as Row))
  return keys.sort((a, b) => Number(!mayWork(a)) - Number(!mayWork(b)))
}

/** Returns whether the key, or one that it replaced, works or can work again. */
const mayWork = ({ state, rotations }: ListedKey) =>
  [state, ...rotations.map((one) => one.state)].some((one) => one !== 'EXPIRED' && one !== 'REVOKED')

/** Returns the rotation chain that contains the key `keyId`, or all chains of the account. Each is newest first, by its ID. */
export async function readChains(ctx: AccountCtx, keyId: string | null): Promise<Map<string, Row[]>> {
  const chains = new Map<string, Row[]>()
  for (const row of await query<Row & { [column: string]: unknown }>('list-keys', LIST, [keyId, ctx.accountId, quotaTerms()])) {
    const chain = chains.get(row.chain)
    if (chain) chain.push(row)
    else chains.set(row.chain, [row])
  }
  return chains
}

/** Returns one key of a chain, with the whole chain's counts. */
export function keyOf(
  chain: Row[],
  { now, disabler, chain: _chain, requests: _requests, issued: _issued, refused: _refused, counted, ...row }: Row,
): ListedKey {
  const sum = (of: (row: Row) => number) => chain.reduce((total, one) => total + of(one), 0)
  return {
    ...row,
    state: keyStateOf(row, now.getTime()),
    requestCount: sum(({ requestCount }) => requestCount),
    today: {
      requests: sum(({ requests }) => requests),
      issued: sum(({ issued }) => issued),
      refused: sum(({ refused }) => refused),
      counted,
    },
    disabledBy: disablerOf(disabler),
    exhaustedAt: exhaustedAt({ used: counted, limit: row.dailyQuota, now }),
    lastUsedAt: latest(chain.map(({ lastUsedAt }) => lastUsedAt)),
    rotations: chain.length > 1 ? chain.map(rotationOf) : [],
  }
}

const rotationOf = ({ id, prefix, createdAt, createdBy, revokedAt, lastUsedAt, requestCount, disabler, ...row }: Row): Rotation => ({
  ...{ id, prefix, createdAt, createdBy, revokedAt, lastUsedAt, requestCount },
  state: keyStateOf({ revokedAt, ...row }, row.now.getTime()),
  disabledBy: disablerOf(disabler),
})

function disablerOf(who: Row['disabler']): ListedKey['disabledBy'] {
  if (!who) return null
  const { kind, name } = actorOf(who, new Map())
  return { kind, name, reason: who.reason }
}

const latest = (dates: (Date | null)[]) =>
  dates.reduce((last, date) => (last === null || (date !== null && date > last) ? date : last), null)

const LIST = `
  SELECT k.id, ${CHAIN} AS chain, k.name, k.environment, k.prefix, k.scopes, k.created_at AS "createdAt", maker.email AS "createdBy",
    k.request_count::float8 AS "requestCount", k.last_used_at AS "lastUsedAt", k.revoked_at AS "revokedAt", k.expires_at AS "expiresAt",
    k.disabled_at AS "disabledAt", stop.disabler, k.allowed_ips AS "allowedIps", q.daily_limit AS "dailyQuota", q.held,
    coalesce(d.requests, 0) AS requests, coalesce(d.issued, 0) AS issued, coalesce(d.refused, 0) AS refused,
    q.issued AS counted, q.now
  FROM api_key k JOIN key_quota($3::jsonb) q ON q.key_id = k.id
  LEFT JOIN key_day d ON d.key_id = k.id AND d.day = q.day
  LEFT JOIN LATERAL (
    SELECT json_build_object('actor', e.actor, 'actorEmail', e.actor_email, 'reason', e.after ->> 'reason') AS disabler FROM audit_entry e
    WHERE k.disabled_at IS NOT NULL AND e.account_id = k.account_id AND e.action = 'key.disable' AND e.subject = k.id ORDER BY e.id DESC LIMIT 1
  ) stop ON true
  LEFT JOIN app_user maker ON maker.id = k.created_by_id
  WHERE k.account_id = $2 AND ($1::text IS NULL OR ${CHAIN} = (SELECT ${CHAIN} FROM api_key k WHERE k.id = $1 AND k.account_id = $2))
  ORDER BY k.created_at DESC, k.id DESC`

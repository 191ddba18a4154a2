import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database.ts'
import type { Scope } from '../../scopes.ts'
import type { KeyEnvironment } from '../api-keys/format.ts'
import { type KeyState, keyStateOf } from '../api-keys/state.ts'
import { CLOCK, DAILY_COUNT, DAILY_QUOTA, QUOTA_GROUP, quotaValues, SPENDABLE } from '../quotas/rule.ts'

export interface ListedKey {
  id: string
  name: string
  environment: KeyEnvironment
  prefix: string
  scopes: Scope[]
  state: KeyState
  createdAt: Date
  /** Name or e-mail address of its creator; null when unknown. */
  createdBy: string | null
  /** Authenticated requests, all time. */
  requestCount: number
  /**
   * Since UTC midnight: authenticated requests, tokens issued, tokens refused by the quota; `counted` are the tokens that count
   * against its quota, including those of keys that it replaced or that replaced it.
   */
  today: { requests: number; issued: number; refused: number; counted: number }
  /** Tokens it may issue today. */
  dailyQuota: number
  /** Whether that is the free quota on the paid tier, because credit is exhausted or a monthly cap is reached. */
  held: boolean
  lastUsedAt: Date | null
  /** When it stopped working, or will: a replaced key works until its rotation overlap ends. */
  revokedAt: Date | null
  expiresAt: Date | null
  disabledAt: Date | null
  /** Networks it may be used from; empty means any. */
  allowedIps: string[]
}

interface Row extends Omit<ListedKey, 'state' | 'today'> {
  now: Date
  requests: number
  issued: number
  refused: number
  counted: number
}

const ENDED = ['EXPIRED', 'REVOKED']

/** Returns every key of the account, working ones first, newest first. Contains no value and no hash. */
export async function listKeys(ctx: AccountCtx): Promise<ListedKey[]> {
  const keys = await readKeys(ctx, null)
  const isOver = ({ state }: ListedKey) => ENDED.includes(state)
  return keys.sort((a, b) => Number(isOver(a)) - Number(isOver(b)))
}

/** Returns the account's keys with states by the database's clock, newest first; with `keyId` only that one. */
export async function readKeys(ctx: AccountCtx, keyId: string | null): Promise<ListedKey[]> {
  const rows = await query<Row>('list-keys', LIST, [keyId, ctx.accountId, ...quotaValues()])
  return rows.map(({ now, requests, issued, refused, counted, ...row }) => ({
    ...row,
    state: keyStateOf(row, now.getTime()),
    today: { requests, issued, refused, counted },
  }))
}

const HELD = `(k.environment = 'LIVE' AND a.tier = 'PAID' AND $5::bigint > ${SPENDABLE})`
const QUOTA_TODAY = `CASE WHEN ${HELD} THEN LEAST(${DAILY_QUOTA}, $3::int) ELSE ${DAILY_QUOTA} END`

const LIST = `
  WITH clock AS MATERIALIZED (${CLOCK})
  SELECT k.id, k.name, k.environment, k.prefix, k.scopes, k.created_at AS "createdAt", maker.email AS "createdBy",
    k.request_count::float8 AS "requestCount", k.last_used_at AS "lastUsedAt", k.revoked_at AS "revokedAt", k.expires_at AS "expiresAt",
    k.disabled_at AS "disabledAt", k.allowed_ips AS "allowedIps", ${QUOTA_TODAY} AS "dailyQuota", ${HELD} AS held,
    coalesce(d.requests, 0) AS requests, coalesce(d.issued, 0) AS issued, coalesce(d.refused, 0) AS refused,
    coalesce(q.issued, 0) AS counted, clock.now
  FROM api_key k JOIN account a ON a.id = k.account_id JOIN wallet w ON w.account_id = a.id CROSS JOIN clock
  LEFT JOIN key_cap c ON c.key_id = ${QUOTA_GROUP}
  LEFT JOIN key_day d ON d.key_id = k.id AND d.day = clock.day
  ${DAILY_COUNT}
  LEFT JOIN app_user maker ON maker.id = k.created_by_id
  WHERE k.account_id = $2 AND ($1::text IS NULL OR k.id = $1) ORDER BY k.created_at DESC, k.id`

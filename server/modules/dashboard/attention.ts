import type { AccountCtx } from '../../context.ts'
import { serviceNow } from '../../platform/database/clock.ts'
import { query } from '../../platform/database/database.ts'
import type { ReadEntry } from '../audit/read.ts'
import { readBalance } from '../billing/balance.ts'
import type { Balance } from '../billing/schema.ts'
import type { DisabledReason } from '../webhooks/endpoints/state.ts'
import { type ListedKey, listKeys } from './list-keys.ts'

const DAY_MS = 86_400_000
/** From this used share, a key is near its quota. */
const NEAR_QUOTA = 0.8
/** Days without use after which to suggest revoking a key. */
const UNUSED_DAYS = 30
/** Days before a key's expiry in which to report it. */
const EXPIRING_DAYS = 7
/** Maximum number of items listed per kind. */
const NAMED = 3

interface Named {
  id: string
  name: string
}

/** Something an owner should check: the first items concerned, and how many there are. */
export type Attention = { count: number } & (
  | { kind: 'videos-failed'; of: (Named & { reason: string | null })[] }
  | { kind: 'quota-used-up'; of: Named[]; tier: Balance['tier'] }
  | { kind: 'quota-near'; of: (Named & { share: number })[]; tier: Balance['tier'] }
  /** Support or the operator disabled it. */
  | { kind: 'key-disabled'; of: (Named & { reason: string | null })[] }
  | { kind: 'key-expiring'; of: (Named & { at: Date })[] }
  | { kind: 'key-unused'; of: (Named & { since: Date })[] }
  /** Every delivery fails. `webhook-dead`: and none is left to retry. */
  | { kind: 'webhook-failing' | 'webhook-dead'; of: Named[] }
  | { kind: 'webhook-disabled'; of: (Named & { reason: DisabledReason })[] }
  /** Less than the threshold is left; `balance` in credits. */
  | { kind: 'credit-low'; of: []; balance: string }
  /** Why keys on the paid tier have the free quota. `exhausted` of them have used that up too, and are refused. */
  | { kind: 'credit-gone' | 'account-cap'; of: []; exhausted: number }
  | { kind: 'key-cap'; of: Named[]; exhausted: number }
)

interface Seen {
  failures: number
  /** The newest of them. */
  failed: { id: string; title: string; reason: string | null }[]
  keys: ListedKey[]
  endpoints: { id: string; url: string; disabled: DisabledReason | null; retrying: boolean }[]
  wallet: Pick<Balance, 'balance' | 'tier' | 'lowBalanceThreshold'>
}

/** Returns what needs attention, most urgent first. */
function attention({ failures, failed, keys, endpoints, wallet }: Seen): Attention[] {
  const now = serviceNow()
  const active = keys.filter(({ state }) => state === 'ACTIVE')
  const used = (key: ListedKey) => (key.dailyQuota > 0 ? key.today.counted / key.dailyQuota : 1)
  const exhausted = active.filter((key) => used(key) >= 1)
  const heldBy = (cause: ListedKey['held']) => active.filter(({ held }) => held === cause)
  const exhaustedOf = (cause: ListedKey['held']) => heldBy(cause).filter((key) => exhausted.includes(key)).length
  const capped = heldBy('key_cap')
  // Credit and caps raise the others' quota at once.
  const usedUp = exhausted.filter(({ held }) => held === null)
  const near = active.filter((key) => used(key) >= NEAR_QUOTA && used(key) < 1)
  const expiring = active.filter(({ expiresAt }) => expiresAt && expiresAt.getTime() - now < EXPIRING_DAYS * DAY_MS)
  const restingSince = ({ lastUsedAt, createdAt }: ListedKey) => lastUsedAt ?? createdAt
  const unused = active.filter((key) => now - restingSince(key).getTime() > UNUSED_DAYS * DAY_MS)
  const hooks = (are: (one: Seen['endpoints'][number]) => boolean) =>
    endpoints.filter(are).map(({ id, url }) => ({ id, name: hostOf(url) }))
  const disabled = endpoints.flatMap(({ id, url, disabled: reason }) => (reason ? [{ id, name: hostOf(url), reason }] : []))
  const failing = hooks((one) => !one.disabled && one.retrying)
  const dead = hooks((one) => !one.disabled && !one.retrying)
  const stopped = keys.filter(({ state, disabledBy }) => state === 'DISABLED' && disabledBy !== null && STAFF.includes(disabledBy.kind))
  const { balance, lowBalanceThreshold: threshold, tier } = wallet
  const gone = tier === 'PAID' && Number(balance) <= 0
  const low = tier === 'PAID' && !gone && threshold !== null && Number(balance) < Number(threshold)
  const all: Attention[] = [
    { kind: 'credit-gone', count: Number(gone), of: [], exhausted: exhaustedOf('credit') },
    { kind: 'account-cap', count: Math.min(1, heldBy('account_cap').length), of: [], exhausted: exhaustedOf('account_cap') },
    { kind: 'key-cap', count: capped.length, of: capped.map(named), exhausted: exhaustedOf('key_cap') },
    { kind: 'key-disabled', count: stopped.length, of: stopped.map((key) => ({ ...named(key), reason: key.disabledBy?.reason ?? null })) },
    { kind: 'quota-used-up', count: usedUp.length, of: usedUp.map(named), tier },
    { kind: 'webhook-disabled', count: disabled.length, of: disabled },
    { kind: 'webhook-dead', count: dead.length, of: dead },
    { kind: 'videos-failed', count: failures, of: failed.map(({ title, ...video }) => ({ ...video, name: title })) },
    { kind: 'webhook-failing', count: failing.length, of: failing },
    { kind: 'credit-low', count: Number(low), of: [], balance },
    { kind: 'quota-near', count: near.length, of: near.map((key) => ({ ...named(key), share: used(key) })), tier },
    { kind: 'key-expiring', count: expiring.length, of: expiring.map((key) => ({ ...named(key), at: key.expiresAt as Date })) },
    { kind: 'key-unused', count: unused.length, of: unused.map((key) => ({ ...named(key), since: restingSince(key) })) },
  ]
  return all.filter(({ count }) => count > 0).map((one) => ({ ...one, of: one.of.slice(0, NAMED) }) as Attention)
}

const named = ({ id, name }: ListedKey): Named => ({ id, name })
const STAFF: ReadEntry['actor']['kind'][] = ['support', 'operator']
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)

/** What else the caller reads. */
interface Given {
  keys?: Promise<ListedKey[]>
  wallet?: Promise<Balance>
}

/** Returns what needs attention in an account, most urgent first. */
export async function readAttention(
  ctx: AccountCtx,
  { keys = listKeys(ctx), wallet = readBalance(ctx) }: Given = {},
): Promise<Attention[]> {
  const [failures, endpoints, ofKeys, ofWallet] = await Promise.all([
    query<Seen['failed'][number] & { total: number }>('account-failed', FAILED, [ctx.accountId]),
    query<Seen['endpoints'][number]>('account-webhooks-failing', WEBHOOKS, [ctx.accountId]),
    keys,
    wallet,
  ])
  const failed = failures.map(({ total: _, ...video }) => video)
  return attention({ failures: failures[0]?.total ?? 0, failed, keys: ofKeys, endpoints, wallet: ofWallet })
}

const FAILED = `
  SELECT v.id, v.title, m.failure_reason AS reason, count(*) OVER ()::float8 AS total FROM video v LEFT JOIN media m ON m.id = v.media_id
  WHERE v.account_id = $1 AND v.status = 'FAILED' AND v.deleted_at IS NULL ORDER BY v.created_at DESC, v.id LIMIT 3`

const WEBHOOKS = `
  SELECT id, url, disabled_reason AS disabled,
    EXISTS (SELECT 1 FROM webhook_queue q WHERE q.endpoint_id = webhook_endpoint.id) AS retrying FROM webhook_endpoint
  WHERE account_id = $1 AND (disabled_at IS NULL AND failing_since IS NOT NULL OR disabled_reason IN ('failing', 'gone'))
  ORDER BY coalesce(disabled_at, failing_since) DESC, id LIMIT 3`

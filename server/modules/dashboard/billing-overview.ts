import type { AccountCtx } from '../../context.ts'
import { env } from '../../platform/config/config.ts'
import { query } from '../../platform/database/database.ts'
import { CHAIN } from '../access/keys/end-key.ts'
import type { DeliveredCodec, DeliveredSums, RenditionSums } from '../analytics/delivered/delivered-schema.ts'
import { deliveredRenditions } from '../analytics/delivered/rendition-sums.ts'
import { type StoredMean, storedMean } from '../analytics/stored-days.ts'
import { creditsText } from '../billing/price-schema.ts'
import type { StatementInput } from '../billing/schema.ts'
import { type Statement, statement } from '../billing/statement.ts'
import { stripe } from '../billing/top-up.ts'

/** The account's wallet, as its members see it. Amounts in credits, as decimal strings. */
export interface BillingOverview {
  tier: 'FREE' | 'PAID'
  balance: string
  lowBalanceThreshold: string | null
  monthCap: string | null
  /** Spent this UTC month. */
  monthSpent: string
  /** Charged in an hour that is not posted to the ledger yet. */
  unposted: string
  /** Daily average over the last seven days, or since the first charge if that is later. */
  spentPerDay: string
  /** How long the balance lasts at that rate. Null if nothing is spent. */
  daysLeft: number | null
  /** Price of one credit. Null if online payments are off. */
  price: { amount: number; currency: string } | null
  /** Live keys with their monthly cap and spending. For keys that replaced one another, the newest with the sum of all. */
  keys: { id: string; name: string; prefix: string; monthCap: string | null; monthSpent: string }[]
}

interface Row {
  tier: 'FREE' | 'PAID'
  balance: string
  threshold: string | null
  month_cap: string | null
  month_spent: string
  unposted: string
  week: string
  days: number
}

interface KeyRow {
  id: string
  name: string
  prefix: string
  month_cap: string | null
  spent: string
}

const text = (micro: string | null) => (micro === null ? null : creditsText(BigInt(micro)))

/** Returns the overview of the Billing page. */
export async function billingOverview(ctx: AccountCtx): Promise<BillingOverview> {
  const [[row], keys] = await Promise.all([
    query<Row>('billing-overview', WALLET, [ctx.accountId]),
    query<KeyRow>('billing-keys', KEYS, [ctx.accountId]),
  ])
  const { tier, balance, threshold, month_cap, month_spent, unposted, week, days } = row as Row
  const perDay = BigInt(week) / BigInt(Math.max(1, Math.min(7, days)))
  const { CREDIT_PRICE: amount, CREDIT_CURRENCY: currency } = env()
  return {
    tier,
    balance: creditsText(BigInt(balance)),
    lowBalanceThreshold: text(threshold),
    monthCap: text(month_cap),
    monthSpent: creditsText(BigInt(month_spent)),
    unposted: creditsText(BigInt(unposted)),
    spentPerDay: creditsText(perDay),
    daysLeft: perDay > 0n ? Math.floor(Number(BigInt(balance)) / Number(perDay)) : null,
    price: stripe() ? { amount, currency } : null,
    keys: keys.map(({ id, name, prefix, month_cap, spent }) => ({
      ...{ id, name, prefix, monthCap: text(month_cap), monthSpent: creditsText(BigInt(spent)) },
    })),
  }
}

const MONTH = `date_trunc('month', service_now(), 'UTC')`

/* `days` counts from the first charged hour: newer accounts have no full week to average. */
const WALLET = `
  SELECT a.tier, w.balance, w.low_balance_threshold AS threshold, w.month_cap,
    CASE WHEN w.month >= (${MONTH} AT TIME ZONE 'UTC')::date THEN w.month_spent ELSE 0 END AS month_spent, w.posted - w.balance AS unposted,
    COALESCE((SELECT sum(cost) FROM charge_hour h WHERE h.account_id = w.account_id AND h.hour > service_now() - interval '7 days'), 0) AS week,
    COALESCE((SELECT ceil(extract(epoch FROM service_now() - min(hour)) / 86400) FROM charge_hour h WHERE h.account_id = w.account_id), 1)::int AS days
  FROM wallet w JOIN account a ON a.id = w.account_id WHERE w.account_id = $1`

const KEYS = `
  SELECT k.id, k.name, k.prefix, c.month_cap,
    COALESCE((SELECT sum(cost) FROM charge_hour h JOIN api_key one ON one.id = h.key_id
      WHERE (one.id = k.id OR one.quota_group = k.quota_group) AND h.account_id = $1 AND h.hour >= ${MONTH}), 0) AS spent
  FROM api_key k LEFT JOIN key_cap c ON c.key_id = ${CHAIN}
  WHERE k.account_id = $1 AND k.environment = 'LIVE' AND (k.revoked_at IS NULL OR c.key_id IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM api_key later WHERE later.quota_group = k.quota_group AND (later.created_at, later.id) > (k.created_at, k.id))
  ORDER BY k.created_at, k.id`

/** Delivered bytes by codec and rendition, and how many more H.264 would have taken. They have no price. */
interface DeliveredOfMonth extends DeliveredSums {
  renditions: Pick<RenditionSums, 'codec' | 'rendition' | 'delivered'>[]
}

/** A month's statement with what was delivered and stored in it. Null for a month without any. */
export interface MonthStatement extends Statement {
  delivered: DeliveredOfMonth | null
  stored: StoredMean | null
}

/** Returns the statement of a UTC month, and the bytes delivered and stored in it. Errors: as `statement`. */
export async function monthStatement(ctx: AccountCtx, input: StatementInput): Promise<MonthStatement> {
  const [first, last] = daysOf(input.month)
  const [billed, renditions, stored] = await Promise.all([
    statement(ctx, input),
    deliveredRenditions(ctx.accountId, first, last),
    storedMean(ctx.accountId, first, last),
  ])
  return { ...billed, delivered: renditions.length > 0 ? sumsOf(renditions) : null, stored }
}

/** Returns the first and the last day of a month, `YYYY-MM-DD`. */
function daysOf(month: string): [first: string, last: string] {
  const first = new Date(`${month}-01T00:00:00Z`)
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0))
  return [`${month}-01`, last.toISOString().slice(0, 10)]
}

function sumsOf(rows: Awaited<ReturnType<typeof deliveredRenditions>>): DeliveredOfMonth {
  const bytesOf = (wanted: DeliveredCodec) =>
    rows.filter(({ codec }) => codec === wanted).reduce((sum, { delivered }) => sum + delivered, 0)
  return {
    ...{ h264: bytesOf('h264'), av1: bytesOf('av1'), audio: bytesOf('audio') },
    saved: rows.reduce((sum, { saved }) => sum + saved, 0),
    renditions: rows.map(({ codec, rendition, delivered }) => ({ codec, rendition, delivered })),
  }
}

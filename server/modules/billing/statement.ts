import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config/config.ts'
import { db, query } from '../../platform/database/database.ts'
import { creditsText } from './price-schema.ts'
import type { StatementInput } from './schema.ts'
import type { EntryKind } from './state.ts'

/** An account's statement for one UTC month. Amounts in credits, as decimal strings. */
export interface Statement {
  /** `YYYY-MM`. */
  month: string
  number: string
  account: { id: string; name: string }
  /** Lines of the issuer's address, and a note, from the operator's settings. */
  issuer: string[]
  note: string | null
  /** Whether the month has not ended. */
  running: boolean
  opening: string
  closing: string
  /** Top-ups, credits, refunds, chargebacks and corrections, by time. */
  movements: { at: Date; kind: EntryKind; amount: string; reason: string | null }[]
  /** Usage by key. */
  usage: { keyId: string; keyName: string; tokens: number; credits: string }[]
  usageTotal: string
  /** Payments and refunds through the payment provider, in the currency's smallest unit. */
  payments: { id: string; paidAt: Date; amount: number; currency: string; refunded: number; credits: string }[]
}

interface Sums {
  name: string
  opening: string
  running: boolean
  future: boolean
  before: boolean
}

/**
 * Returns a month's statement. Usage belongs to the hour in which it occurred, not to the time of its ledger entry. Errors: NOT_FOUND for a
 * future month, or one before the account existed.
 */
export async function statement(ctx: AccountCtx, { month }: StatementInput): Promise<Statement> {
  const from = new Date(`${month}-01T00:00:00Z`)
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1))
  const { accountId } = ctx
  const [[sums], entries, usage, payments] = await Promise.all([
    query<Sums>('statement', SUMS, [accountId, from, to]),
    db().ledgerEntry.findMany({ where: { accountId, kind: { not: 'usage' }, at: { gte: from, lt: to } }, orderBy: { seq: 'asc' } }),
    query<{ key_id: string; name: string | null; tokens: number; cost: string }>('statement-usage', USAGE, [accountId, from, to]),
    db().payment.findMany({ where: { accountId, paidAt: { gte: from, lt: to } }, orderBy: { paidAt: 'asc' } }),
  ])
  const { name, opening, running, future, before } = sums as Sums
  const { INVOICE_ISSUER, INVOICE_NOTE } = env()
  if (future) throw new ServiceError('NOT_FOUND', { message: 'This month has not started yet.' })
  if (before) throw new ServiceError('NOT_FOUND', { message: 'The account did not exist in this month.' })
  const signed = entries.map(({ credit, amount, ...entry }) => ({ ...entry, amount: credit === 'wallet' ? amount : -amount }))
  const used = usage.reduce((sum, { cost }) => sum + BigInt(cost), 0n)
  const closing = signed.reduce((sum, { amount }) => sum + amount, BigInt(opening)) - used
  return {
    month,
    number: `${month.replace('-', '')}-${accountId.slice(-6)}`,
    account: { id: accountId, name },
    issuer: INVOICE_ISSUER?.split('|').map((line) => line.trim()) ?? [],
    note: INVOICE_NOTE ?? null,
    running,
    opening: creditsText(BigInt(opening)),
    closing: creditsText(closing),
    movements: signed.map(({ at, kind, amount, reason }) => ({ at, kind: kind as EntryKind, amount: creditsText(amount), reason })),
    usage: usage.map(({ key_id, name, tokens, cost }) => ({
      keyId: key_id,
      keyName: name ?? 'Deleted key',
      tokens,
      credits: creditsText(BigInt(cost)),
    })),
    usageTotal: creditsText(used),
    payments: payments.map(({ id, paidAt, amount, currency, refunded, credits }) => ({
      ...{ id, paidAt: paidAt as Date, amount, currency, refunded, credits: creditsText(credits) },
    })),
  }
}

/** SQL: when account `a` began. Imported entries can be older than its row. */
const BEGUN = `LEAST(a.created_at, (SELECT min(at) FROM ledger_entry WHERE account_id = a.id), (SELECT min(hour) FROM charge_hour WHERE account_id = a.id))`

/*
 * The opening balance starts from the last entry before the month, not from the first ever. Hours are posted in order, so those not posted
 * by then start at the last posted one.
 */
const SUMS = `
  SELECT a.name, $2 > service_now() AS future, $3 > service_now() AS running, $3 <= ${BEGUN} AS before, COALESCE(last.balance_after, 0)
    - COALESCE((SELECT sum(cost) FROM charge_hour WHERE account_id = a.id AND hour < $2 AND hour >= COALESCE(posted.hour, '-infinity')
        AND (entry IS NULL OR entry > COALESCE(last.seq, 0))), 0) AS opening
  FROM account a
  LEFT JOIN LATERAL (SELECT seq, balance_after FROM ledger_entry WHERE account_id = a.id AND at < $2 ORDER BY at DESC, seq DESC LIMIT 1) last ON true
  LEFT JOIN LATERAL (SELECT hour FROM ledger_entry WHERE account_id = a.id AND seq <= last.seq AND kind = 'usage' ORDER BY seq DESC LIMIT 1) posted ON true
  WHERE a.id = $1 AND $3::timestamptz IS NOT NULL`

const USAGE = `
  SELECT h.key_id, k.name, sum(h.tokens)::float8 AS tokens, sum(h.cost) AS cost
  FROM charge_hour h LEFT JOIN api_key k ON k.id = h.key_id AND k.account_id = $1
  WHERE h.account_id = $1 AND h.hour >= $2 AND h.hour < $3 GROUP BY h.key_id, k.name, k.created_at ORDER BY k.created_at, h.key_id`

/** A UTC month in which the wallet's balance changed. Amounts in credits. */
interface BilledMonth {
  /** `YYYY-MM`. */
  month: string
  tokens: number
  used: string
  added: string
}

/** Lists the months that have a statement, newest first, at most 120. */
export async function billedMonths(ctx: AccountCtx): Promise<BilledMonth[]> {
  const rows = await query<{ month: string; tokens: number; used: string; added: string }>('billed-months', MONTHS, [ctx.accountId])
  return rows.map(({ month, tokens, used, added }) => ({
    month,
    tokens,
    used: creditsText(BigInt(used)),
    added: creditsText(BigInt(added)),
  }))
}

const MONTHS = `
  SELECT month, sum(tokens)::float8 AS tokens, sum(used) AS used, sum(added) AS added FROM (
    SELECT to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM') AS month, tokens, cost AS used, 0 AS added FROM charge_hour WHERE account_id = $1
    UNION ALL
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM'), 0, 0, CASE WHEN credit = 'wallet' THEN amount ELSE -amount END
    FROM ledger_entry WHERE account_id = $1 AND kind <> 'usage') moved
  GROUP BY month ORDER BY month DESC LIMIT 120`

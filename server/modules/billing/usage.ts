import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { serviceNow } from '../../platform/database/clock.ts'
import { query } from '../../platform/database/database.ts'
import { storageUsage } from '../identity/accounts/storage.ts'
import { creditsText } from './price-schema.ts'
import { spanProblem, type Usage, type UsageQuery } from './schema.ts'

interface Row {
  date: string
  keyId: string
  keyName: string
  keyPrefix: string
  tokensIssued: number
  tokensRefused: number
  requests: number
  cost: string
}

/**
 * Returns each key's usage by UTC day, both ends of the range included (specification §4.5), by default for this month; and the account's
 * current storage. Errors: INVALID_REQUEST for a range that ends before it starts or is longer than a year.
 */
export async function readUsage(ctx: AccountCtx, asked: UsageQuery): Promise<Usage> {
  const today = new Date(serviceNow()).toISOString().slice(0, 10)
  const to = asked.to ?? (asked.from && asked.from > today ? asked.from : today)
  const from = asked.from ?? `${to.slice(0, 7)}-01`
  const problem = spanProblem(from, to)
  if (problem) throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'query', path: 'from', message: problem }] })
  const [rows, { uploads: _, ...storage }] = await Promise.all([query<Row>('usage', USAGE, [ctx.accountId, from, to]), storageUsage(ctx)])
  const totals = { tokensIssued: 0, tokensRefused: 0, requests: 0 }
  let cost = 0n
  for (const row of rows) {
    totals.tokensIssued += row.tokensIssued
    totals.tokensRefused += row.tokensRefused
    totals.requests += row.requests
    cost += BigInt(row.cost)
  }
  const days = rows.map(({ cost, ...row }) => ({ ...row, credits: creditsText(BigInt(cost)) }))
  return { from, to, totals: { ...totals, credits: creditsText(cost) }, storage, days }
}

const USAGE = `
  SELECT d.day::text AS date, k.id AS "keyId", k.name AS "keyName", k.prefix AS "keyPrefix", d.issued AS "tokensIssued",
    d.refused AS "tokensRefused", d.requests, d.cost
  FROM api_key k JOIN key_day d ON d.key_id = k.id
  WHERE k.account_id = $1 AND d.day BETWEEN $2::date AND $3::date AND (d.issued > 0 OR d.refused > 0 OR d.requests > 0)
  ORDER BY d.day, k.created_at, k.id`

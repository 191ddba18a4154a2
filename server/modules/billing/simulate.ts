import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database/database.ts'
import { creditsText, FREE_DAILY_QUOTA } from './price-schema.ts'
import type { SimulateInput } from './schema.ts'

const DAYS = 90
const MONTH_DAYS = 30n

/**
 * The account's last 90 UTC days, or those since its first token request, recomputed with another volume, price and quota. Amounts in
 * credits.
 */
export interface Simulation {
  /** Days that the estimate is based on: today and earlier, at most 90, starting with the account's first token request. */
  days: number
  /** Days with at least one token request. */
  activeDays: number
  /** Tokens requested in the 90 days: issued and refused, times the volume. */
  asked: number
  paid: { issued: number; refused: number; credits: string; creditsPerMonth: string }
  free: { issued: number; refused: number }
  /** The actual values. */
  was: { issued: number; refused: number; credits: string }
}

/**
 * Recomputes each live key's days, and 30 of them as a month: `volume` percent of its requested tokens, at `price` credits per 1,000, with
 * `dailyQuota` per key and day. Compares with the free tier: 1,000 per key and day, at no cost.
 */
export async function simulate(ctx: AccountCtx, { volume, price, dailyQuota }: SimulateInput): Promise<Simulation> {
  const [rows, [history]] = await Promise.all([
    query<{ day: string; issued: number; refused: number; cost: string }>('simulate', ASKED, [ctx.accountId, DAYS]),
    query<{ days: number | null }>('simulate-history', HISTORY, [ctx.accountId, DAYS]),
  ])
  const days = history?.days ?? DAYS
  const sum = { asked: 0, paid: 0, free: 0, issued: 0, refused: 0 }
  let cost = 0n
  for (const row of rows) {
    const asked = Math.round(((row.issued + row.refused) * volume) / 100)
    sum.asked += asked
    sum.paid += Math.min(asked, dailyQuota)
    sum.free += Math.min(asked, FREE_DAILY_QUOTA)
    sum.issued += row.issued
    sum.refused += row.refused
    cost += BigInt(row.cost)
  }
  const credits = (BigInt(sum.paid) * price) / 1_000n
  const perMonth = (credits * MONTH_DAYS) / BigInt(days)
  return {
    days,
    activeDays: new Set(rows.map(({ day }) => day)).size,
    asked: sum.asked,
    paid: { issued: sum.paid, refused: sum.asked - sum.paid, credits: creditsText(credits), creditsPerMonth: creditsText(perMonth) },
    free: { issued: sum.free, refused: sum.asked - sum.free },
    was: { issued: sum.issued, refused: sum.refused, credits: creditsText(cost) },
  }
}

const ASKED = `
  SELECT d.day::text, d.issued, d.refused, d.cost FROM api_key k JOIN key_day d ON d.key_id = k.id
  WHERE k.account_id = $1 AND k.environment = 'LIVE' AND d.day > (service_now() AT TIME ZONE 'UTC')::date - $2::int AND (d.issued > 0 OR d.refused > 0)`

const HISTORY = `
  SELECT LEAST($2::int, (service_now() AT TIME ZONE 'UTC')::date - min(d.day) + 1) AS days FROM api_key k JOIN key_day d ON d.key_id = k.id
  WHERE k.account_id = $1 AND k.environment = 'LIVE' AND (d.issued > 0 OR d.refused > 0)`

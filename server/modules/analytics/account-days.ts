import { LRUCache } from 'lru-cache'
import type { AccountCtx } from '../../context.ts'
import { services } from '../../platform/container.ts'
import { dayBefore } from './range.ts'
import { countUsage } from './usage.ts'

/** An account's counts on one UTC day, as its usage page shows them. */
export interface AccountDay {
  /** `YYYY-MM-DD`. */
  day: string
  requests: number
  /** Requests with an error response. */
  failed: number
  /** Issued playback tokens. */
  issued: number
  /** Tokens refused because of the quota. */
  refused: number
  plays: number
}

/** Number of days on the overview, including today. As many earlier days are compared. */
export const DAYS_SHOWN = 30

/** Limits queries for past days to 1/200 of the time: adding up the counters of many keys takes half a second. */
const REUSE = 200
export const makePastDays = () => new LRUCache<string, AccountDay[]>({ max: 2_000 })
const past = () => services().pastDays

declare module '../../platform/container.ts' {
  interface Services {
    /** By account and day. */
    pastDays: LRUCache<string, AccountDay[]>
  }
}

/**
 * Returns twice `DAYS_SHOWN` days of an account, oldest first, today last. A day without activity has zeros. Reads today on each call. Past
 * days rarely change, so they are cached for a time proportional to the cost of their query.
 */
export async function accountDays(ctx: AccountCtx): Promise<AccountDay[]> {
  const day = dayBefore(0)
  const key = `${ctx.accountId} ${day}`
  const [{ totals }, before] = await Promise.all([
    countUsage(ctx, { from: day, to: day }, undefined, 'day'),
    past().get(key) ?? readPast(ctx, key),
  ])
  const { requests, failed, issued, refused, plays } = totals
  return [...before, { day, requests, failed, issued, refused, plays }]
}

async function readPast(ctx: AccountCtx, key: string): Promise<AccountDay[]> {
  const began = performance.now()
  const { points, plays } = await countUsage(ctx, { from: dayBefore(2 * DAYS_SHOWN - 1), to: dayBefore(1) }, undefined, 'day')
  const days = points.map(({ at, requests, failed, issued, refused }, position) => ({
    day: at,
    requests,
    failed,
    issued,
    refused,
    plays: plays[position]?.plays ?? 0,
  }))
  past().set(key, days, { ttl: Math.ceil(REUSE * (performance.now() - began)) })
  return days
}

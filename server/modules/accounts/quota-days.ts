import { LRUCache } from 'lru-cache'
import type { AccountCtx } from '../../context.ts'
import { services } from '../../platform/container.ts'
import { query } from '../../platform/database.ts'

/** Counts of one UTC day of an account. */
export interface AccountDay {
  /** `YYYY-MM-DD`. */
  day: string
  /** Requests with an API key. */
  requests: number
  /** Issued playback tokens. */
  issued: number
  /** Tokens refused because of the quota. */
  refused: number
  plays: number
}

/** Number of days on the overview, including today. */
export const DAYS_SHOWN = 30

/** Limits queries for past days to 1/200 of the time: adding up 10,000 videos watched on each of 30 days takes half a second. */
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
 * Returns the last days of an account, oldest first, today last; a day without activity has zeros. Reads today on each call. Past days
 * rarely change, so they are cached for a time proportional to the cost of their query.
 */
export async function accountDays(ctx: AccountCtx): Promise<AccountDay[]> {
  const [today] = await query<AccountDay>('account-today', TODAY, [ctx.accountId])
  const key = `${ctx.accountId} ${today?.day}`
  let before = past().get(key)
  if (!before) {
    const began = performance.now()
    before = await query<AccountDay>('account-days', BEFORE, [ctx.accountId])
    past().set(key, before, { ttl: Math.ceil(REUSE * (performance.now() - began)) })
  }
  return today ? [...before, today] : before
}

/** Returns the SQL for the days that `within` selects; `first` and `last` in days before today. */
const days = (first: number, last: number, within: (day: string) => string) => `
  WITH today AS MATERIALIZED (SELECT (service_now() AT TIME ZONE 'UTC')::date AS day),
  shown AS (SELECT generate_series(day - ${first}, day - ${last}, '1 day')::date AS day FROM today),
  used AS (
    SELECT d.day, sum(d.requests) AS requests, sum(d.issued) AS issued, sum(d.refused) AS refused
    FROM api_key k JOIN key_day d ON d.key_id = k.id WHERE k.account_id = $1 AND ${within('d.day')} GROUP BY d.day),
  watched AS (
    SELECT w.day, w.plays FROM account_view_day w WHERE w.account_id = $1 AND ${within('w.day')})
  SELECT to_char(shown.day, 'YYYY-MM-DD') AS day, coalesce(requests, 0)::float8 AS requests, coalesce(issued, 0)::float8 AS issued,
    coalesce(refused, 0)::float8 AS refused, coalesce(plays, 0)::float8 AS plays
  FROM shown LEFT JOIN used USING (day) LEFT JOIN watched USING (day) ORDER BY shown.day`

const FIRST = DAYS_SHOWN - 1
const TODAY = days(0, 0, (day) => `${day} = (SELECT day FROM today)`)
const BEFORE = days(FIRST, 1, (day) => `${day} >= (SELECT day - ${FIRST} FROM today) AND ${day} < (SELECT day FROM today)`)

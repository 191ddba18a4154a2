import { query } from '../infra/db.ts'
import { openAccount } from './open-account.ts'
import type { StaffCtx } from './staff.ts'

/** One UTC day (`YYYY-MM-DD`) of an account, over all keys and videos. */
export interface UsageDay {
  day: string
  requests: number
  issued: number
  refused: number
  plays: number
}

/** The account's last 30 UTC days, today last; a day without anything is zeros. Errors: NOT_FOUND. */
export async function supportUsage(staff: StaffCtx, { accountId }: { accountId: string }): Promise<UsageDay[]> {
  const ctx = await openAccount(staff, { accountId, page: 'overview' })
  return query<UsageDay>('support-usage', USAGE, [ctx.accountId])
}

const USAGE = `
  WITH today AS (SELECT (service_now() AT TIME ZONE 'UTC')::date AS day),
  days AS (SELECT generate_series(day - 29, day, interval '1 day')::date AS day FROM today),
  used AS (
    SELECT d.day, sum(d.requests) AS requests, sum(d.issued) AS issued, sum(d.refused) AS refused
    FROM api_key k JOIN key_day d ON d.key_id = k.id AND d.day >= (SELECT day - 29 FROM today) WHERE k.account_id = $1 GROUP BY d.day),
  played AS (
    SELECT w.day, sum(w.plays) AS plays
    FROM video v JOIN view_day w ON w.video_id = v.id AND w.day >= (SELECT day - 29 FROM today) WHERE v.account_id = $1 GROUP BY w.day)
  SELECT to_char(days.day, 'YYYY-MM-DD') AS day, coalesce(requests, 0)::float8 AS requests, coalesce(issued, 0)::float8 AS issued,
    coalesce(refused, 0)::float8 AS refused, coalesce(plays, 0)::float8 AS plays
  FROM days LEFT JOIN used USING (day) LEFT JOIN played USING (day) ORDER BY day`

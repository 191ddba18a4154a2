import pg from 'pg'
import './container.ts'
import { attachToEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'

const COUNTED = `
  WITH days AS (
    SELECT (now() AT TIME ZONE 'UTC')::date - d AS day, 1 + sin(d * 0.9) * 0.35 + (30 - d) * 0.03 AS busy FROM generate_series(1, 29) AS d),
  calls (operation, status, share) AS (VALUES
    ('getVideo', 200, 5200), ('listVideos', 200, 900), ('createPlaybackToken', 200, 640), ('createPlaybackToken', 429, 14),
    ('getVideo', 404, 60), ('exchangePlaybackToken', 200, 610))
  INSERT INTO traffic_day (account_id, day, key_id, operation, status, requests, tokens, latency)
  SELECT $1, day, CASE operation WHEN 'exchangePlaybackToken' THEN '' ELSE $2 END, operation, status, round(share * busy)::int,
    CASE operation WHEN 'createPlaybackToken' THEN round(share * busy)::int ELSE 0 END,
    (SELECT array_agg(CASE WHEN at BETWEEN 6 AND 16 THEN round(share * busy * exp(-((at - 9) ^ 2) / 9.0) / 5)::int ELSE 0 END ORDER BY at)
     FROM generate_series(1, 41) AS at)
  FROM days, calls ON CONFLICT DO NOTHING`

const SPENT = `
  INSERT INTO key_day (key_id, day, issued, refused, requests)
  SELECT key_id, day, sum(tokens) FILTER (WHERE status = 200), sum(tokens) FILTER (WHERE status = 429), sum(requests)
  FROM traffic_day WHERE account_id = $1 AND key_id = $2 AND day < (now() AT TIME ZONE 'UTC')::date GROUP BY key_id, day ON CONFLICT DO NOTHING`

const WATCHED = `
  INSERT INTO view_day (video_id, account_id, day, plays, watch_ms, rebuffer_ms, rebuffers, errors, startup, retention)
  SELECT v.id, v.account_id, (now() AT TIME ZONE 'UTC')::date - d, (40 + 25 * sin(d * 0.7) + (30 - d))::int, (40 + 25 * sin(d * 0.7)) * 9000, 9000, 12, d % 3,
    (SELECT array_agg(CASE at WHEN 5 THEN 12 WHEN 6 THEN 22 WHEN 7 THEN 9 WHEN 9 THEN 3 ELSE 0 END ORDER BY at) FROM generate_series(1, 24) AS at),
    (SELECT array_agg((60 - at * 1.6)::int ORDER BY at) FROM generate_series(1, 20) AS at)
  FROM video v, generate_series(0, 29) AS d WHERE v.account_id = $1 AND v.status = 'COMPLETED' ON CONFLICT DO NOTHING`

/** Shares of the plays, in percent, by dimension and value. */
const WHO = `
  CREATE TEMP TABLE who (dimension text, value text, share numeric);
  INSERT INTO who VALUES ('country', 'DE', 34), ('country', 'US', 22), ('country', 'GB', 13), ('country', 'FR', 9), ('country', 'JP', 7),
    ('country', 'BR', 5), ('country', 'PL', 4), ('country', 'IN', 3), ('country', 'AT', 2), ('country', '(unknown)', 1),
    ('referrer', 'courses.example.com', 58), ('referrer', 'blog.example.com', 21), ('referrer', '(direct)', 14), ('referrer', '(unknown)', 7),
    ('device', 'Computer', 61), ('device', 'Phone', 31), ('device', 'Tablet', 6), ('device', 'TV', 2),
    ('browser', 'Chrome', 54), ('browser', 'Safari', 27), ('browser', 'Firefox', 11), ('browser', 'Edge', 8),
    ('os', 'Windows', 41), ('os', 'iOS', 21), ('os', 'Android', 17), ('os', 'macOS', 15), ('os', 'Linux', 6),
    ('quality', '720p', 52), ('quality', '480p', 28), ('quality', '360p', 15), ('quality', '240p', 5)`

const WATCHED_BY = `
  INSERT INTO viewer_day (video_id, account_id, day, dimension, value, plays, watch_ms)
  SELECT video_id, account_id, day, dimension, value, CASE dimension WHEN 'quality' THEN 0 ELSE round(plays * share / 100) END, round(watch_ms * share / 100)
  FROM view_day CROSS JOIN who WHERE account_id = $1 ON CONFLICT DO NOTHING`

const SUMMED = `
  INSERT INTO account_viewer_day (account_id, day, dimension, value, plays, watch_ms, reached)
  SELECT account_id, day, dimension, value, sum(plays), sum(watch_ms),
    CASE dimension WHEN 'device' THEN ARRAY[sum(plays) * 0.88, sum(plays) * 0.71, sum(plays) * 0.6, sum(plays) * 0.47]::int[] ELSE '{}' END
  FROM viewer_day WHERE account_id = $1
  GROUP BY account_id, day, dimension, value ON CONFLICT DO NOTHING`

/** The dimensions are independent of each other. */
const PAIRED = `
  WITH places (dimension, at) AS (VALUES ('country', 1), ('device', 2), ('browser', 3), ('os', 4), ('referrer', 5), ('quality', 6))
  INSERT INTO account_viewer_pair_day (account_id, day, dimension, value, with_dimension, with_value, plays, watch_ms)
  SELECT held.account_id, held.day, held.dimension, held.value, who.dimension, who.value,
    CASE who.dimension WHEN 'quality' THEN 0 ELSE round(held.plays * share / 100) END, round(held.watch_ms * share / 100)
  FROM account_viewer_day AS held JOIN places AS first USING (dimension) JOIN places AS second ON second.at > first.at
  JOIN who ON who.dimension = second.dimension WHERE held.account_id = $1 ON CONFLICT DO NOTHING`

/** Creates thirty days of traffic and viewings before today, for screenshots: other data has no past to show. */
export async function insertHistory(accountId: string, keyId: string): Promise<void> {
  const { url, stop } = await attachToEmbeddedPostgres(process.env.REELGATE_E2E_DATA as string)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(COUNTED, [accountId, keyId])
  await client.query(SPENT, [accountId, keyId])
  await client.query(WATCHED, [accountId])
  await client.query(WHO)
  await client.query(WATCHED_BY, [accountId])
  await client.query(SUMMED, [accountId])
  await client.query(PAIRED, [accountId])
  await client.end()
  await stop()
}

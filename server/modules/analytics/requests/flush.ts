import { query } from '../../../platform/database/database.ts'
import { TOKEN_OPERATION } from '../schema.ts'
import { Counters } from './counters.ts'

/** Counters of one flush interval. */
export interface Batch {
  tallies: Map<string, Counters>
  /** End of the interval (`performance.now()`). */
  endedAt: number
}

/**
 * Writes the counters of keys (last use, requests, refusals by day) and those by hour and day in one statement, so that they are
 * consistent. Skips deleted keys and accounts.
 */
export async function flushCounters({ tallies, endedAt }: Batch): Promise<void> {
  const whole = await withAccounts([...tallies.values()])
  if (whole.length === 0) return
  const keys = whole.filter(({ keyId }) => keyId)
  const now = performance.now()
  await query('flush-traffic', FLUSH, [
    now - endedAt,
    JSON.stringify(
      keys.map(({ keyId, requests, cells, lastAt, address, userAgent }) => ({
        id: keyId,
        requests,
        refused: cells.get(TOKEN_OPERATION)?.get(429)?.tokens ?? 0,
        age_ms: now - lastAt,
        address,
        user_agent: userAgent,
      })),
    ),
    JSON.stringify(whole.flatMap(cellsOf)),
  ])
}

const cellsOf = ({ accountId, keyId, cells }: Counters) =>
  [...cells].flatMap(([operation, byStatus]) =>
    [...byStatus].map(([status, cell]) => ({ account_id: accountId, key_id: keyId, operation, status, ...cell })),
  )

/** Returns the counters with their accounts: looks up the account where only a video is known, and merges by account. */
async function withAccounts(tallies: Counters[]): Promise<Counters[]> {
  const strays = tallies.filter(({ accountId }) => accountId === undefined)
  if (strays.length === 0) return tallies
  const owners = await accountsOfVideos(strays.flatMap(({ videoId }) => videoId ?? []))
  const whole = new Map<string, Counters>()
  for (const tally of tallies) {
    const accountId = tally.accountId ?? owners.get(tally.videoId as string)
    if (accountId === undefined) continue
    const name = tally.keyId || accountId
    const held = whole.get(name)
    if (held) held.add(tally)
    else if (tally.accountId) whole.set(name, tally)
    else {
      const named = new Counters(accountId, '')
      named.add(tally)
      whole.set(name, named)
    }
  }
  return [...whole.values()]
}

/** Returns each video's account. Includes deleted videos. */
export async function accountsOfVideos(ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await query<{ id: string; account_id: string }>(
    'accounts-of-videos',
    'SELECT id, account_id FROM video WHERE id = ANY ($1)',
    [ids],
  )
  return new Map(rows.map(({ id, account_id }) => [id, account_id]))
}

const ADDED = (table: string) => `
  requests = ${table}.requests + EXCLUDED.requests, tokens = ${table}.tokens + EXCLUDED.tokens,
  latency = (SELECT array_agg(a + b ORDER BY at) FROM unnest(${table}.latency, EXCLUDED.latency) WITH ORDINALITY AS sums (a, b, at))`

/**
 * $1: the counters' age in milliseconds. $2: keys, $3: cells, JSON arrays with the columns as fields. Times are passed as ages, so that the
 * database's clock dates them. Locks keys in ID order, as grants do, to prevent deadlocks.
 */
const FLUSH = `
  WITH moment AS (SELECT (service_now() - $1::float8 * interval '1 millisecond') AT TIME ZONE 'UTC' AS at),
  used AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb)
      AS u(id text, requests int, refused int, age_ms float8, address text, user_agent text)),
  held AS MATERIALIZED (SELECT id FROM api_key WHERE id IN (SELECT id FROM used) ORDER BY id FOR NO KEY UPDATE),
  keys AS (
    UPDATE api_key SET request_count = request_count + used.requests,
      last_used_at = GREATEST(last_used_at, service_now() - used.age_ms * interval '1 millisecond'),
      last_address = COALESCE(used.address, last_address), last_user_agent = COALESCE(used.user_agent, last_user_agent)
    FROM used JOIN held USING (id) WHERE api_key.id = held.id RETURNING api_key.id, used.requests, used.refused),
  days AS (
    INSERT INTO key_day (key_id, day, requests, refused) SELECT id, moment.at::date, requests, refused FROM keys CROSS JOIN moment
    ON CONFLICT (key_id, day) DO UPDATE SET requests = key_day.requests + EXCLUDED.requests, refused = key_day.refused + EXCLUDED.refused),
  cells AS MATERIALIZED (
    SELECT c.* FROM jsonb_to_recordset($3::jsonb)
      AS c(account_id text, key_id text, operation text, status int, requests int, tokens int, latency int[])
    JOIN account ON account.id = c.account_id ORDER BY c.account_id, c.key_id, c.operation, c.status),
  hours AS (
    INSERT INTO traffic_hour (account_id, hour, key_id, operation, status, requests, tokens, latency)
    SELECT account_id, date_trunc('hour', moment.at) AT TIME ZONE 'UTC', key_id, operation, status, requests, tokens, latency FROM cells CROSS JOIN moment
    ON CONFLICT (account_id, hour, key_id, operation, status) DO UPDATE SET ${ADDED('traffic_hour')})
  INSERT INTO traffic_day (account_id, day, key_id, operation, status, requests, tokens, latency)
  SELECT account_id, moment.at::date, key_id, operation, status, requests, tokens, latency FROM cells CROSS JOIN moment
  ON CONFLICT (account_id, day, key_id, operation, status) DO UPDATE SET ${ADDED('traffic_day')}`

import { ERRORS } from '../../errors.ts'
import { query } from '../../platform/database.ts'
import { accountsOfVideos } from './flush.ts'
import type { ObservedOperation } from './observed-call.ts'
import { redact, redactPath } from './redact.ts'
import type { Entry } from './sample.ts'
import { CHECK_OF, CHECKS, type Check } from './schema.ts'

export interface WeightedEntry {
  entry: Entry
  weight: number
}

/** Maximum of rows in one statement. */
const MOST_ROWS = 1_000

/** Writes sampled requests to the log. Skips those without an account (an unknown key or video). */
export async function writeLog(chosen: WeightedEntry[]): Promise<void> {
  const rows = await named(chosen)
  for (let from = 0; from < rows.length; from += MOST_ROWS) {
    const part = rows.slice(from, from + MOST_ROWS)
    const column = (pick: (row: Row) => unknown) => part.map(pick)
    await query('log-requests', INSERT, [
      column((row) => row.id),
      column((row) => row.accountId),
      column((row) => row.at),
      column((row) => row.keyId),
      column((row) => row.method),
      column((row) => row.operation),
      column((row) => row.path),
      column((row) => row.query),
      column((row) => row.status),
      column((row) => row.code),
      column((row) => row.details),
      column((row) => row.checks),
      column((row) => row.address),
      column((row) => row.userAgent),
      column((row) => row.durationMs),
      column((row) => row.headers),
      column((row) => row.tokenId),
      column((row) => row.weight),
      column((row) => row.message),
      column((row) => row.sent),
    ])
  }
}

/** Notifies the watchers (server/modules/analytics/watch.ts) of each account once per write. */
const INSERT = `
  WITH added AS (
    INSERT INTO request_log (id, account_id, at, key_id, method, operation, path, query, status, code, details, checks, address, user_agent,
      duration_ms, headers, token_id, weight, message, sent)
    SELECT n.id, n.account_id, to_timestamp(n.at / 1000), n.key_id, n.method, n.operation, n.path, n.query, n.status, n.code, n.details::jsonb,
      string_to_array(n.checks, ' '), n.address, n.user_agent, n.duration_ms, n.headers::jsonb, n.token_id, n.weight, n.message, n.sent::jsonb
    FROM unnest($1::text[], $2::text[], $3::float8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[], $10::text[], $11::text[],
      $12::text[], $13::text[], $14::text[], $15::float8[], $16::text[], $17::text[], $18::float8[], $19::text[], $20::text[])
      AS n(id, account_id, at, key_id, method, operation, path, query, status, code, details, checks, address, user_agent, duration_ms, headers, token_id, weight, message,
        sent)
    JOIN account ON account.id = n.account_id
    ON CONFLICT (id) DO NOTHING RETURNING account_id)
  SELECT pg_notify('reelgate', 'requests:' || account_id) FROM (SELECT DISTINCT account_id FROM added) AS accounts`

type Row = ReturnType<typeof rowOf>

async function named(chosen: WeightedEntry[]): Promise<Row[]> {
  const hashes = chosen.flatMap(({ entry }) => entry.keyHash ?? [])
  const videos = chosen.flatMap(({ entry }) => (entry.accountId ? [] : (entry.about?.videoId ?? [])))
  const [keys, owners] = await Promise.all([keysByHash(hashes), accountsOfVideos(videos)])
  return chosen.flatMap(({ entry, weight }) => {
    const key = entry.keyHash === undefined ? undefined : keys.get(entry.keyHash)
    const accountId = entry.accountId ?? key?.account_id ?? owners.get(entry.about?.videoId ?? '')
    return accountId === undefined ? [] : [rowOf(entry, weight, accountId, entry.keyId ?? key?.id ?? null)]
  })
}

/** Returns keys by hash; includes revoked, disabled and expired keys. */
async function keysByHash(hashes: string[]): Promise<Map<string, { id: string; account_id: string }>> {
  if (hashes.length === 0) return new Map()
  const rows = await query<{ digest: string; id: string; account_id: string }>(
    'keys-of-refusals',
    `SELECT encode(hash, 'hex') AS digest, id, account_id FROM api_key WHERE hash = ANY (SELECT decode(h, 'hex') FROM unnest($1::text[]) AS given(h))`,
    [hashes],
  )
  return new Map(rows.map((row) => [row.digest, row]))
}

function rowOf(entry: Entry, weight: number, accountId: string, keyId: string | null) {
  const { operation, reply, params } = entry
  const path = params.token ? entry.path.replace(/(?<=\/)[^/]+$/, '{token}') : entry.path
  const { error } = reply
  const details = error?.extras.details
  return {
    id: entry.id,
    accountId,
    at: entry.at,
    keyId,
    method: redact(entry.method, 20),
    operation: operation?.operationId ?? null,
    path: redactPath(path, 300),
    query: redactQuery(entry.search),
    status: reply.status,
    code: error?.code ?? null,
    message: error && error.message !== ERRORS[error.code].message ? redact(error.message, 600) : null,
    details: details === undefined ? null : redactJson(details),
    checks: checksOf(operation).join(' '),
    address: redact(entry.address, 64),
    userAgent: entry.userAgent === undefined ? null : redact(entry.userAgent, 300),
    durationMs: entry.durationMs,
    headers: redactJson(Object.fromEntries(Object.entries(reply.headers).filter(([name]) => SHOWN.test(name)))),
    sent: redactJson(entry.sent) ?? '{}',
    tokenId: reply.about?.tokenId ?? null,
    weight,
  }
}

/** Names of the response headers kept in the log. */
const SHOWN = /^(?:x-ratelimit-|ratelimit|retry-after$|etag$|allow$|cache-control$|content-type$|x-request-id$)/i

const MOST_DETAILS = 4_000

function redactJson(value: unknown): string | null {
  const text = JSON.stringify(value).replaceAll('\\u0000', '')
  // Truncation would make the JSON invalid.
  return text.length > MOST_DETAILS ? null : redact(text, MOST_DETAILS)
}

/** Returns the decoded query with its secrets redacted, which percent-encoding could hide. */
function redactQuery(search: string): string {
  if (!search) return ''
  const parts = [...new URLSearchParams(search)].map(([name, value]) => `${redact(name, 100)}=${redact(value, 300)}`)
  return redact(parts.join('&'), 1_000)
}

/** Returns the checks of this endpoint's requests, in order. */
export function checksOf(operation: ObservedOperation | undefined): Check[] {
  if (!operation) return ['route']
  const asked = new Set<string>(['route', 'input', ...operation.errors.map((code) => CHECK_OF[code as keyof typeof CHECK_OF])])
  if (operation.auth === 'key') for (const check of ['key', 'scope']) asked.add(check)
  return CHECKS.filter((check) => asked.has(check))
}

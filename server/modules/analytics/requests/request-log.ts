import { isIP } from 'node:net'
import type { AccountCtx } from '../../../context.ts'
import { ERRORS } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { watchAccount } from '../../identity/sessions/watch-account.ts'
import { CHECK_OF, CHECKS, type Check } from '../schema.ts'
import { accountsOfVideos } from './flush.ts'
import type { ObservedOperation } from './observed-call.ts'
import { isAboutPerson, redact, redactBody, redactPath, redactQuery } from './redact.ts'
import type { Entry } from './sample.ts'

interface WeightedEntry {
  entry: Entry
  weight: number
}

/** Maximum number of rows per statement. */
const MOST_ROWS = 1_000

/** Writes sampled requests to the log. Skips those without an account (an unknown key or video). */
export async function writeLog(chosen: WeightedEntry[]): Promise<void> {
  const rows = await named(chosen)
  for (let from = 0; from < rows.length; from += MOST_ROWS) {
    await query('log-requests', INSERT, [JSON.stringify(rows.slice(from, from + MOST_ROWS))])
  }
}

/**
 * $1: a JSON array of rows, with the columns as fields; `at` in Unix milliseconds. Notifies each account's watchers
 * (server/modules/analytics/requests/request-log.ts) once per write.
 */
const INSERT = `
  WITH added AS (
    INSERT INTO request_log (id, account_id, at, key_id, method, operation, path, query, status, code, details, message, checks,
      address, user_agent, duration_ms, response_headers, request_headers, token_id, weight, video_id, network, bodies, viewer_id)
    SELECT n.id, n.account_id, to_timestamp(n.at / 1000), n.key_id, n.method, n.operation, n.path, n.query, n.status, n.code,
      n.details::jsonb, n.message, n.checks, n.address, n.user_agent, n.duration_ms, n.response_headers::jsonb,
      n.request_headers::jsonb, n.token_id, n.weight, n.video_id, n.network, n.bodies,
      (SELECT id FROM viewer WHERE viewer.id = n.viewer_id FOR KEY SHARE)
    FROM jsonb_to_recordset($1::jsonb) AS n(id text, account_id text, at float8, key_id text, method text, operation text, path text,
      query text, status int, code text, details text, message text, checks text[], address text, user_agent text, duration_ms float8,
      response_headers text, request_headers text, token_id text, weight float8, video_id text, network inet, bodies jsonb,
      viewer_id text)
    JOIN account ON account.id = n.account_id
    ON CONFLICT (id, at) DO NOTHING RETURNING account_id)
  SELECT pg_notify('reelgate', 'requests:' || account_id) FROM (SELECT DISTINCT account_id FROM added) AS accounts`

async function named(chosen: WeightedEntry[]): Promise<ReturnType<typeof rowOf>[]> {
  const hashes = chosen.flatMap(({ entry }) => entry.keyHash ?? [])
  const videos = chosen.flatMap(({ entry }) => (entry.accountId ? [] : (entry.about?.videoId ?? [])))
  const [keys, owners] = await Promise.all([keysByHash(hashes), accountsOfVideos(videos)])
  return chosen.flatMap(({ entry, weight }) => {
    const key = entry.keyHash === undefined ? undefined : keys.get(entry.keyHash)
    const accountId = entry.accountId ?? key?.account_id ?? owners.get(entry.about?.videoId ?? '')
    return accountId === undefined ? [] : [rowOf(entry, weight, accountId, entry.keyId ?? key?.id ?? null)]
  })
}

/** Returns keys by hash. Includes revoked, disabled and expired keys. */
async function keysByHash(hashes: string[]): Promise<Map<string, { id: string; account_id: string }>> {
  if (hashes.length === 0) return new Map()
  const rows = await query<{ digest: string; id: string; account_id: string }>(
    'keys-of-refusals',
    `SELECT encode(hash, 'hex') AS digest, id, account_id FROM api_key WHERE hash = ANY (SELECT decode(h, 'hex') FROM unnest($1::text[]) AS given(h))`,
    [hashes],
  )
  return new Map(rows.map((row) => [row.digest, row]))
}

/** Returns a `request_log` row for `INSERT`. JSON columns are text, redacted as a whole. */
function rowOf(entry: Entry, weight: number, accountId: string, keyId: string | null) {
  const { operation, reply, params } = entry
  const path = params.token ? entry.path.replace(/(?<=\/)[^/]+$/, '{token}') : entry.path
  const { error } = reply
  const videoId = params.videoId ?? entry.about?.videoId ?? ''
  const details = error?.extras.details
  const aboutPerson = { aboutPerson: isAboutPerson(entry.path) }
  return {
    id: entry.id,
    account_id: accountId,
    at: entry.at,
    key_id: keyId,
    method: redact(entry.method, 20),
    operation: operation?.operationId ?? null,
    path: redactPath(path, 300),
    query: redactQuery(entry.search, aboutPerson),
    status: reply.status,
    code: error?.code ?? null,
    message: error && error.message !== ERRORS[error.code].message ? redact(error.message, 600) : null,
    details: details === undefined ? null : redactJson(details),
    checks: checksOf(operation),
    address: redact(entry.address, 64),
    user_agent: entry.userAgent === undefined ? null : redact(entry.userAgent, 300),
    duration_ms: entry.durationMs,
    response_headers: redactJson(Object.fromEntries(Object.entries(reply.headers).filter(([name]) => SHOWN.test(name)))),
    request_headers: redactJson(entry.requestHeaders) ?? '{}',
    token_id: reply.about?.tokenId ?? null,
    // One who was erased since is not found.
    viewer_id: reply.about?.viewerId ?? null,
    weight,
    video_id: VIDEO_ID.test(videoId) ? videoId : null,
    // A header from an untrusted proxy can hold any text.
    network: isIP(entry.address) ? entry.address : null,
    bodies: entry.bodies === undefined ? null : bodiesOf(entry.bodies, aboutPerson),
  }
}

const bodiesOf = ({ request, response }: NonNullable<Entry['bodies']>, about: { aboutPerson: boolean }) => ({
  request: request === undefined ? null : redactBody(request, about),
  response: response === undefined ? null : redactBody(response, about),
})

const VIDEO_ID = /^vid_\w{1,60}$/

/** Names of the response headers kept in the log. */
const SHOWN = /^(?:x-ratelimit-|ratelimit|retry-after$|etag$|allow$|cache-control$|content-type$|x-request-id$)/i

const MOST_DETAILS = 4_000

function redactJson(value: unknown): string | null {
  const text = JSON.stringify(value).replaceAll('\\u0000', '')
  // Truncation would make the JSON invalid.
  return text.length > MOST_DETAILS ? null : redact(text, MOST_DETAILS)
}

/** Returns the checks of this endpoint's requests, in order. */
function checksOf(operation: ObservedOperation | undefined): Check[] {
  if (!operation) return ['route']
  const asked = new Set<string>(['route', 'input', ...operation.errors.map((code) => CHECK_OF[code as keyof typeof CHECK_OF])])
  if (operation.auth === 'key') for (const check of ['key', 'scope']) asked.add(check)
  return CHECKS.filter((check) => asked.has(check))
}

/** The log may have new entries. Also sent first and after a lost connection. */
interface TrafficEvent {
  type: 'more'
}

/** Each process writes once a second; writes within these milliseconds yield one event. */
const GATHER_MS = 400

/** Yields when the account's request log grows, until `signal` aborts. Errors: as `watchAccount`. */
export async function* watchRequests(ctx: AccountCtx, signal: AbortSignal): AsyncGenerator<TrafficEvent> {
  for await (const _ of watchAccount(ctx, signal, 'requests', GATHER_MS)) yield { type: 'more' }
}

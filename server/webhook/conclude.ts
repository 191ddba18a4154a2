import { query, type Runner, transactionByIndex } from '../infra/db.ts'
import type { Outcome } from './attempt.ts'
import { type Claim, type Claimed, endedBy, settle, shortenClaims } from './claim.ts'

/** An attempt that has ended. */
export interface Ended {
  claimed: Claimed
  outcome: Outcome
  signature: string
  /** `performance.now()` at its end: delays count from here, not from when it is written. */
  endedAt: number
  /** When it is tried again, counted from its end; undefined when it is not. */
  nextInMs: number | undefined
}

const KEPT_HEADERS = 4 * 1024

/** An endpoint whose attempts have ended. */
interface End {
  id: string
  disabled: boolean
  /** Its last attempt before these failed. */
  failing: boolean
  /** It has failed for so long that it is given up. */
  hopeless: boolean
}

/**
 * Writes what attempts came to, all in one transaction: each delivery's next step, the attempt itself, and whether its endpoint works. Who lost
 * the claim changes nothing. Resolves with the endpoints whose deliveries died now and that have failed for `failingMs`.
 */
export async function conclude(ended: readonly Ended[], failingMs: number): Promise<string[]> {
  const claimed = ended.map((one) => one.claimed)
  // Before the transaction, whose beginning is the database's "now": however long its locks take, a next try is not early.
  const now = performance.now()
  const given = await transactionByIndex(async (connection) => {
    const { ends, claims } = await lock(claimed, failingMs, connection)
    const mine = ended.filter(({ claimed }) => ends.has(claimed.endpointId) && claims.has(claimed.claim.id))
    // A delivery whose endpoint was disabled while it was on its way is not tried again.
    const again = mine.filter(({ claimed, nextInMs }) => nextInMs !== undefined && !ends.get(claimed.endpointId)?.disabled)
    const given = await writeHealth(mine, ends, connection)
    await write(mine, new Set(again), endedBy(claimed), now, connection)
    const open = again.map((one) => one.claimed)
    await shortenClaims(open, connection)
    return given
  })
  settle(claimed)
  return given
}

/** The endpoints that are still there, and the claims that are still ours: whoever claims anew what has ended deletes the old claim. */
async function lock(claimed: readonly Claimed[], failingMs: number, on: Runner): Promise<{ ends: Map<string, End>; claims: Set<string> }> {
  const values = [[...new Set(claimed.map((one) => one.endpointId))], [...new Set(claimed.map((one) => one.claim.id))], failingMs]
  const rows = await query<End & { claims: string[] }>('webhook-conclude-lock', LOCK, values, on)
  return { ends: new Map(rows.map((row) => [row.id, row])), claims: new Set(rows[0]?.claims) }
}

async function write(mine: readonly Ended[], again: ReadonlySet<Ended>, over: readonly Claim[], now: number, on: Runner): Promise<void> {
  const column = (pick: (one: Ended) => string | number | undefined) => numbers(mine.map(pick))
  const texts = new Texts()
  const id = column(({ claimed }) => claimed.id)
  const made = column(({ claimed }) => claimed.made)
  const round = column(({ claimed }) => claimed.round)
  const nextMs = column((one) => (again.has(one) ? Math.ceil((one.nextInMs as number) - (now - one.endedAt)) : undefined))
  const values = [
    id,
    made,
    column(({ endedAt }) => Math.round(now - endedAt)),
    column(({ outcome }) => outcome.durationMs),
    // As one text, which is cheaper to say than a list; no header has a line end in it.
    mine.map(({ signature }) => signature).join('\n'),
    column(({ outcome }) => outcome.status),
    column(({ outcome: { status, headers } }) => (status ? texts.headers(headers) : undefined)),
    column(({ outcome }) => texts.at(outcome.body)),
    column(({ outcome: { problem } }) => (problem === undefined ? undefined : texts.at(problem))),
    nextMs,
    texts.all,
    round,
    over.map((claim) => claim.id),
  ]
  await query('webhook-conclude', CONCLUDE, values, on)
  if (again.size > 0) await query('webhook-conclude-again', AGAIN, [id, made, nextMs, round], on)
}

/** A list of whole numbers, as PostgreSQL writes one. */
const numbers = (list: readonly (string | number | undefined)[]) => `{${list.map((one) => one ?? 'NULL').join(',')}}`

/** Notes which endpoints work. Resolves with those to be given up. */
async function writeHealth(mine: readonly Ended[], ends: ReadonlyMap<string, End>, on: Runner): Promise<string[]> {
  const works = new Set(mine.filter(({ outcome }) => outcome.problem === undefined).map(({ claimed }) => claimed.endpointId))
  const seen = new Set(mine.map(({ claimed }) => claimed.endpointId))
  const turned = [...seen].filter((id) => ends.get(id)?.failing === works.has(id))
  if (turned.length > 0) await query('webhook-conclude-health', HEALTH, [turned, [...works]], on)
  const died = new Set(mine.filter(({ nextInMs }) => nextInMs === undefined).map(({ claimed }) => claimed.endpointId))
  return [...died].filter((id) => !works.has(id) && ends.get(id)?.hopeless && !ends.get(id)?.disabled)
}

/** Texts, each only once, since most answers of a receiver are the same; named by their place, from 1. */
class Texts {
  readonly all: string[] = []
  private readonly known = new Map<string, number>()
  private last: Outcome['headers'] | undefined
  private lastAt = 0

  at(text: string): number {
    const known = this.known.get(text)
    if (known) return known
    this.known.set(text, this.all.push(text))
    return this.all.length
  }

  headers(headers: Outcome['headers']): number {
    if (!this.last || !areSame(this.last, headers)) this.lastAt = this.at(keptHeaders(headers))
    this.last = headers
    return this.lastAt
  }
}

function areSame(some: Outcome['headers'], others: Outcome['headers']): boolean {
  for (const name in some) if (some[name] !== others[name]) return false
  return Object.keys(some).length === Object.keys(others).length
}

/** As JSON, as many as fit. */
function keptHeaders(headers: Outcome['headers']): string {
  const kept: [string, string][] = []
  let size = 0
  for (const [name, value] of Object.entries(headers)) {
    const text = String(value)
    size += name.length + text.length
    if (size > KEPT_HEADERS) break
    kept.push([name, text])
  }
  return JSON.stringify(Object.fromEntries(kept))
}

/* Endpoints are locked before what is queued for them, as whoever deletes one does, and in one order; counting them locks all. */
const LOCK = `
  WITH ends AS MATERIALIZED (
    SELECT id, disabled_at IS NOT NULL AS disabled, failing_since IS NOT NULL AS failing,
      COALESCE(failing_since < service_now() - $3::float8 * interval '1 millisecond', false) AS hopeless
    FROM webhook_endpoint WHERE id = ANY ($1::text[]) ORDER BY id FOR KEY SHARE),
  ours AS MATERIALIZED (
    SELECT id FROM webhook_claim WHERE id = ANY ($2::uuid[]) AND (SELECT count(*) FROM ends) > 0 ORDER BY id FOR UPDATE)
  SELECT ends.*, ARRAY(SELECT id::text FROM ours) AS claims FROM ends`

/* What was written before (the answer to a commit may be lost), and may be somebody else's since, is left alone: its round and count tell. */
const CONCLUDE = `
  WITH changed AS (
    UPDATE webhook_delivery d SET attempts = d.attempts + 1, changed_at = service_now(), outcome = ($11::text[])[mine.problem],
      status = (CASE WHEN mine.problem IS NULL THEN 'DELIVERED' WHEN mine.next_ms IS NULL THEN 'DEAD' ELSE 'PENDING' END)::"DeliveryStatus"
    FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], string_to_array($5::text, E'\\n'), $6::int[], $7::int[], $8::int[], $9::int[], $10::int[], $12::int[])
      AS mine (id, made, ago_ms, duration_ms, signature, answer, headers, body, problem, next_ms, round)
    WHERE d.id = mine.id AND d.status = 'PENDING' AND d.round = mine.round AND d.attempts <= mine.made
    RETURNING mine.*, d.attempts),
  gone AS (
    DELETE FROM webhook_due q USING unnest($1::bigint[], $2::int[], $10::int[], $12::int[]) AS mine (id, made, next_ms, round)
    WHERE mine.next_ms IS NULL AND q.delivery_id = mine.id AND q.round = mine.round AND q.attempts <= mine.made),
  over AS (DELETE FROM webhook_claim WHERE id = ANY ($13::uuid[]))
  INSERT INTO webhook_attempt (delivery_id, round, number, at, duration_ms, signature, status, headers, body, problem, next_at)
  SELECT id, round, attempts, service_now() - (ago_ms + duration_ms) * interval '1 millisecond', duration_ms, signature, answer,
    ($11::text[])[headers], ($11::text[])[body], ($11::text[])[problem], service_now() + next_ms * interval '1 millisecond'
  FROM changed`

const AGAIN = `
  UPDATE webhook_due q SET attempts = mine.made + 1, due_at = service_now() + mine.next_ms * interval '1 millisecond'
  FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) AS mine (id, made, next_ms, round)
  WHERE mine.next_ms IS NOT NULL AND q.delivery_id = mine.id AND q.round = mine.round AND q.attempts <= mine.made`

const HEALTH = `
  UPDATE webhook_endpoint SET failing_since = CASE WHEN id = ANY ($2::text[]) THEN NULL ELSE service_now() END
  WHERE id IN (
    SELECT id FROM webhook_endpoint WHERE id = ANY ($1::text[]) AND (failing_since IS NULL) <> (id = ANY ($2::text[]))
    ORDER BY id FOR NO KEY UPDATE)`

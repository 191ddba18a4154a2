import { queryByIndex } from '../infra/db.ts'
import type { Outcome } from './attempt.ts'
import type { Claimed } from './claim.ts'

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

/**
 * Writes what attempts came to, all in one statement: each delivery's next step, the attempt itself, and whether its endpoint works. Who lost
 * the claim changes nothing. Resolves with the endpoints whose deliveries died now and that have failed for `failingMs`.
 */
export async function conclude(ended: readonly Ended[], failingMs: number): Promise<string[]> {
  const now = performance.now()
  const column = <T>(pick: (one: Ended) => T) => ended.map(pick)
  const headers = headersOf(ended)
  const rows = await queryByIndex<{ id: string }>('webhook-conclude', CONCLUDE, [
    numbers(column(({ claimed }) => claimed.id)),
    numbers(column(({ claimed }) => claimed.claim)),
    column(({ endedAt }) => now - endedAt),
    column(({ outcome }) => outcome.durationMs),
    // As one text, which is cheaper to say than a list; no header has a line end in it.
    column(({ signature }) => signature).join('\n'),
    column(({ outcome }) => outcome.status ?? null),
    headers.at,
    column(({ outcome }) => outcome.body),
    column(({ outcome }) => outcome.problem ?? null),
    column(({ nextInMs }) => nextInMs ?? null),
    [...new Set(column(({ claimed }) => claimed.endpointId))],
    failingMs,
    headers.texts,
  ])
  return rows.map(({ id }) => id)
}

/** A list of whole numbers, as PostgreSQL writes one. */
const numbers = (texts: readonly string[]) => `{${texts.join(',')}}`

/** What was answered, each only once, since most answers of a receiver have the same headers; and which of them (from 1) each attempt had. */
function headersOf(ended: readonly Ended[]): { texts: string[]; at: (number | null)[] } {
  const known = new Map<string, number>()
  let last: [Outcome['headers'], number] | undefined
  const at = ended.map(({ outcome: { status, headers } }) => {
    if (!status) return null
    if (last && areSame(last[0], headers)) return last[1]
    const text = keptHeaders(headers)
    const index = known.get(text) ?? known.size + 1
    known.set(text, index)
    last = [headers, index]
    return index
  })
  return { texts: [...known.keys()], at }
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

/*
 * A delivery whose endpoint was disabled while it was on its way is not tried again. Endpoints are locked before what is queued for them, as
 * whoever deletes one does, and in one order.
 */
const CONCLUDE = `
  WITH ends AS MATERIALIZED (SELECT id, disabled_at FROM webhook_endpoint WHERE id = ANY ($11::text[]) ORDER BY id FOR KEY SHARE),
  mine AS MATERIALIZED (
    SELECT e.*, q.endpoint_id,
      CASE WHEN e.problem IS NOT NULL AND ends.disabled_at IS NULL THEN service_now() + (e.next_ms - e.ago_ms) * interval '1 millisecond' END AS next_at
    FROM unnest($1::bigint[], $2::bigint[], $3::float8[], $4::int[], string_to_array($5::text, E'\\n'), $6::int[], $7::int[], $8::text[], $9::text[], $10::float8[])
      AS e (id, claim, ago_ms, duration_ms, signature, answer, headers, body, problem, next_ms)
    JOIN webhook_due q ON q.delivery_id = e.id AND q.claim = e.claim JOIN ends ON ends.id = q.endpoint_id
    FOR UPDATE OF q),
  gone AS (DELETE FROM webhook_due WHERE delivery_id = ANY (ARRAY(SELECT id FROM mine WHERE next_at IS NULL))),
  again AS (
    UPDATE webhook_due q SET attempts = q.attempts + 1, claim = NULL, claimed_until = NULL, due_at = mine.next_at
    FROM mine WHERE mine.next_at IS NOT NULL AND q.delivery_id = mine.id),
  changed AS (
    UPDATE webhook_delivery d SET attempts = d.attempts + 1, changed_at = service_now(), outcome = mine.problem,
      status = (CASE WHEN mine.problem IS NULL THEN 'DELIVERED' WHEN mine.next_at IS NULL THEN 'DEAD' ELSE 'PENDING' END)::"DeliveryStatus"
    FROM mine WHERE d.id = mine.id
    RETURNING mine.*, d.round, d.attempts),
  tried AS (
    INSERT INTO webhook_attempt (delivery_id, round, number, at, duration_ms, signature, status, headers, body, problem, next_at)
    SELECT c.id, c.round, c.attempts, service_now() - (c.ago_ms + c.duration_ms) * interval '1 millisecond',
      c.duration_ms, c.signature, c.answer, ($13::text[])[c.headers], c.body, c.problem, c.next_at
    FROM changed c),
  seen AS MATERIALIZED (
    SELECT endpoint_id AS id, bool_or(problem IS NULL) AS works, bool_or(next_ms IS NULL) AS died FROM mine GROUP BY endpoint_id),
  health AS (
    UPDATE webhook_endpoint e SET failing_since = CASE WHEN h.works THEN NULL ELSE service_now() END
    FROM (SELECT p.id, seen.works FROM seen JOIN webhook_endpoint p USING (id) WHERE (p.failing_since IS NULL) <> seen.works ORDER BY p.id FOR NO KEY UPDATE OF p) AS h
    WHERE e.id = h.id)
  SELECT id FROM seen JOIN webhook_endpoint USING (id)
  WHERE died AND NOT works AND disabled_at IS NULL AND failing_since < service_now() - $12::float8 * interval '1 millisecond'`

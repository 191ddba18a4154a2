import { query } from '../infra/db.ts'
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
  const works = new Set(ended.filter(({ outcome }) => !outcome.problem).map(({ claimed }) => claimed.endpointId))
  const fails = new Set(ended.map(({ claimed }) => claimed.endpointId).filter((id) => !works.has(id)))
  const rows = await query<{ id: string }>('webhook-conclude', CONCLUDE, [
    column(({ claimed }) => claimed.id),
    column(({ claimed }) => claimed.claim),
    column(({ endedAt }) => now - endedAt),
    column(({ outcome }) => outcome.durationMs),
    column(({ signature }) => signature),
    column(({ outcome }) => outcome.status ?? null),
    column(({ outcome }) => (outcome.status ? keptHeaders(outcome) : null)),
    column(({ outcome }) => outcome.body),
    column(({ outcome }) => outcome.problem ?? null),
    column(({ nextInMs }) => nextInMs ?? null),
    [...works],
    [...fails],
    ended
      .filter(({ claimed, nextInMs }) => fails.has(claimed.endpointId) && nextInMs === undefined)
      .map(({ claimed }) => claimed.endpointId),
    failingMs,
  ])
  return rows.map(({ id }) => id)
}

/** As JSON, as many as fit. */
function keptHeaders({ headers }: Outcome): string {
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

/* A delivery whose endpoint was disabled while it was on its way is not tried again. */
const CONCLUDE = `
  WITH ended AS (
    SELECT * FROM unnest($1::bigint[], $2::int[], $3::float8[], $4::int[], $5::text[], $6::int[], $7::text[], $8::text[], $9::text[], $10::float8[])
      AS e (id, claim, ago_ms, duration_ms, signature, status, headers, body, problem, next_ms)),
  changed AS (
    UPDATE webhook_delivery d SET claimed = false, attempts = d.attempts + 1, changed_at = service_now(), outcome = ended.problem,
      status = (CASE WHEN ended.problem IS NULL THEN 'DELIVERED' WHEN ended.next_ms IS NULL OR p.disabled_at IS NOT NULL THEN 'DEAD' ELSE 'PENDING' END)::"DeliveryStatus",
      due_at = CASE WHEN ended.problem IS NOT NULL AND p.disabled_at IS NULL THEN service_now() + (ended.next_ms - ended.ago_ms) * interval '1 millisecond' END
    FROM ended, webhook_endpoint p
    WHERE d.id = ANY ($1::bigint[]) AND d.id = ended.id AND d.claims = ended.claim AND d.claimed AND d.status = 'PENDING' AND p.id = d.endpoint_id
    RETURNING d.id, d.round, d.attempts, d.due_at),
  tried AS (
    INSERT INTO webhook_attempt (delivery_id, round, number, at, duration_ms, signature, status, headers, body, problem, next_at)
    SELECT changed.id, changed.round, changed.attempts, service_now() - (ended.ago_ms + ended.duration_ms) * interval '1 millisecond',
      ended.duration_ms, ended.signature, ended.status, ended.headers, ended.body, ended.problem, changed.due_at
    FROM changed JOIN ended ON ended.id = changed.id),
  well AS (UPDATE webhook_endpoint SET failing_since = NULL WHERE id = ANY ($11::text[]) AND failing_since IS NOT NULL),
  ill AS (UPDATE webhook_endpoint SET failing_since = service_now() WHERE id = ANY ($12::text[]) AND failing_since IS NULL)
  SELECT id FROM webhook_endpoint
  WHERE id = ANY ($13::text[]) AND disabled_at IS NULL AND failing_since < service_now() - $14::float8 * interval '1 millisecond'`

import { query } from '../infra/db.ts'

/** An endpoint with deliveries that are due. */
export interface DueEndpoint {
  id: string
  url: string
  /** Sealed; the previous one only while it still signs. */
  secret: Buffer
  previousSecret: Buffer | null
  /** Whether its last attempt failed. */
  failing: boolean
}

/** A delivery that is ours until its claim ends. */
export interface Claimed {
  id: string
  endpointId: string
  /** Fences off whoever had it before. */
  claim: number
  /** Attempts made before in this round. */
  made: number
  payload: string
}

interface DueRow {
  id: string
  url: string
  secret: Buffer
  previous_secret: Buffer | null
  failing: boolean
}

/**
 * Enabled endpoints that have something due, those that work before those that fail, then who waits longest. However many deliveries are
 * queued, one index entry is read for each endpoint.
 */
export async function dueEndpoints(): Promise<DueEndpoint[]> {
  const rows = await query<DueRow>('webhook-due-endpoints', DUE_ENDPOINTS, [])
  return rows.map(({ previous_secret: previousSecret, ...row }) => ({ ...row, previousSecret }))
}

const DUE_ENDPOINTS = `
  WITH RECURSIVE queued AS (
    (SELECT endpoint_id, due_at FROM webhook_delivery WHERE status = 'PENDING' ORDER BY endpoint_id, due_at LIMIT 1)
    UNION ALL
    SELECT next.endpoint_id, next.due_at FROM queued CROSS JOIN LATERAL (
      SELECT endpoint_id, due_at FROM webhook_delivery
      WHERE status = 'PENDING' AND endpoint_id > queued.endpoint_id ORDER BY endpoint_id, due_at LIMIT 1) AS next)
  SELECT e.id, e.url, e.secret, e.failing_since IS NOT NULL AS failing,
    CASE WHEN e.previous_until > service_now() THEN e.previous_secret END AS previous_secret
  FROM queued JOIN webhook_endpoint e ON e.id = queued.endpoint_id
  WHERE queued.due_at <= service_now() AND e.disabled_at IS NULL
  ORDER BY failing, queued.due_at`

interface ClaimedRow {
  id: string
  endpoint_id: string
  claims: number
  attempts: number
  payload: string
}

/** Claims up to so many due deliveries of each endpoint, the longest due first, for `leaseMs`; whoever asks at the same time gets others. */
export async function claimDue(wanted: ReadonlyMap<string, number>, leaseMs: number): Promise<Claimed[]> {
  const rows = await query<ClaimedRow>('webhook-claim', CLAIM, [[...wanted.keys()], [...wanted.values()], leaseMs])
  return rows.map(({ id, endpoint_id, claims, attempts, payload }) => ({
    id,
    endpointId: endpoint_id,
    claim: claims,
    made: attempts,
    payload,
  }))
}

/** No more than this is claimed for one endpoint at a time. */
export const MAX_CLAIM = 1_000

/*
 * Written so that every plan reads by index, whatever the planner believes of sizes: the fixed limit bounds what it expects, an array what it
 * joins. The inner rows are locked only as far as the outer limit asks for them.
 */
const CLAIM = `
  WITH wanted AS (SELECT * FROM unnest($1::text[], $2::int[]) AS w (endpoint_id, room)),
  due AS MATERIALIZED (
    SELECT one.id FROM wanted CROSS JOIN LATERAL (
      SELECT id FROM (
        SELECT d.id FROM webhook_delivery d
        WHERE d.endpoint_id = wanted.endpoint_id AND d.status = 'PENDING' AND d.due_at <= service_now()
        ORDER BY d.due_at LIMIT ${MAX_CLAIM} FOR UPDATE SKIP LOCKED) AS first
      LIMIT wanted.room) AS one),
  claimed AS (
    UPDATE webhook_delivery d SET claims = d.claims + 1, claimed = true, due_at = service_now() + $3::float8 * interval '1 millisecond'
    WHERE d.id = ANY (ARRAY(SELECT id FROM due)) RETURNING d.id, d.endpoint_id, d.event_id, d.claims, d.attempts)
  SELECT claimed.id::text, claimed.endpoint_id, claimed.claims, claimed.attempts,
    (SELECT payload FROM webhook_event e WHERE e.id = claimed.event_id) AS payload
  FROM claimed`

/** Gives claimed deliveries back as they were, for a dispatcher that stops before it has tried them. */
export async function giveBack(claimed: readonly Claimed[]): Promise<void> {
  await query(
    'webhook-give-back',
    `UPDATE webhook_delivery d SET claimed = false, due_at = service_now()
     FROM unnest($1::bigint[], $2::int[]) AS back (id, claim) WHERE d.id = back.id AND d.claims = back.claim AND d.claimed`,
    [claimed.map((one) => one.id), claimed.map((one) => one.claim)],
  )
}

import { query, queryByIndex } from '../infra/db.ts'

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
  claim: string
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

/** SQL: nobody has it in hand. */
const FREE = '(claimed_until IS NULL OR claimed_until <= service_now())'

const DUE_ENDPOINTS = `
  WITH RECURSIVE queued AS (
    (SELECT endpoint_id, due_at FROM webhook_due WHERE ${FREE} ORDER BY endpoint_id, due_at LIMIT 1)
    UNION ALL
    SELECT next.endpoint_id, next.due_at FROM queued CROSS JOIN LATERAL (
      SELECT endpoint_id, due_at FROM webhook_due
      WHERE endpoint_id > queued.endpoint_id AND ${FREE} ORDER BY endpoint_id, due_at LIMIT 1) AS next)
  SELECT e.id, e.url, e.secret, e.failing_since IS NOT NULL AS failing,
    CASE WHEN e.previous_until > service_now() THEN e.previous_secret END AS previous_secret
  FROM queued JOIN webhook_endpoint e ON e.id = queued.endpoint_id
  WHERE queued.due_at <= service_now() AND e.disabled_at IS NULL
  ORDER BY failing, queued.due_at`

interface ClaimedRow {
  id: string
  endpoint_id: string
  claim: string
  attempts: number
  payload: string
}

/** Claims up to so many due deliveries of each endpoint, the longest due first, for `leaseMs`; whoever asks at the same time gets others. */
export async function claimDue(wanted: ReadonlyMap<string, number>, leaseMs: number): Promise<Claimed[]> {
  // Nobody waits for a claim to reach the disk: one that a crash of the database loses was never given.
  const quick = ['synchronous_commit = off']
  const rows = await queryByIndex<ClaimedRow>('webhook-claim', CLAIM, [[...wanted.keys()], [...wanted.values()], leaseMs], quick)
  return rows.map(({ id, endpoint_id, claim, attempts, payload }) => ({
    id,
    endpointId: endpoint_id,
    claim,
    made: attempts,
    payload,
  }))
}

/** No more than this is claimed for one endpoint at a time. */
export const MAX_CLAIM = 1_000

/* The inner rows are locked only as far as the outer limit asks for them; the fixed one bounds what the planner expects. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT one.id FROM unnest($1::text[], $2::int[]) AS wanted (endpoint_id, room) CROSS JOIN LATERAL (
      SELECT id FROM (
        SELECT delivery_id AS id FROM webhook_due
        WHERE endpoint_id = wanted.endpoint_id AND due_at <= service_now() AND ${FREE}
        ORDER BY due_at LIMIT ${MAX_CLAIM} FOR UPDATE SKIP LOCKED) AS first
      LIMIT wanted.room) AS one),
  claimed AS (
    UPDATE webhook_due SET claim = nextval('webhook_claim_seq'), claimed_until = service_now() + $3::float8 * interval '1 millisecond'
    WHERE delivery_id = ANY (ARRAY(SELECT id FROM due)) RETURNING delivery_id AS id, endpoint_id, event_id, claim, attempts)
  SELECT id, endpoint_id, claim, attempts, (SELECT payload FROM webhook_event WHERE webhook_event.id = claimed.event_id) AS payload FROM claimed`

/** Gives claimed deliveries back as they were, for a dispatcher that stops before it has tried them. */
export async function giveBack(claimed: readonly Claimed[]): Promise<void> {
  await queryByIndex(
    'webhook-give-back',
    `UPDATE webhook_due q SET claim = NULL, claimed_until = NULL
     FROM unnest($1::bigint[], $2::bigint[]) AS back (id, claim)
     WHERE q.delivery_id = back.id AND q.claim = back.claim`,
    [claimed.map((one) => one.id), claimed.map((one) => one.claim)],
  )
}

import { query, type Runner, transactionByIndex } from '../infra/db.ts'

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

/** A place in an endpoint's queue. */
export interface Place {
  /** Unix milliseconds. */
  dueMs: number
  id: string
}

/** Deliveries of one endpoint that were claimed together. */
export interface Claim {
  id: string
  /** So many of them are neither concluded nor given back. */
  left: number
}

/** A delivery that is ours until its claim ends. */
export interface Claimed extends Place {
  endpointId: string
  claim: Claim
  round: number
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
 * queued, what is in hand at the head of each queue is read past, and one more.
 */
export async function dueEndpoints(): Promise<DueEndpoint[]> {
  const rows = await query<DueRow>('webhook-due-endpoints', DUE_ENDPOINTS, [])
  return rows.map(({ previous_secret: previousSecret, ...row }) => ({ ...row, previousSecret }))
}

const DUE_ENDPOINTS = `
  WITH RECURSIVE held AS MATERIALIZED (SELECT unnest(deliveries) AS id FROM webhook_claim WHERE until > service_now()),
  queued AS (
    (SELECT endpoint_id, due_at FROM webhook_due WHERE delivery_id NOT IN (SELECT id FROM held) ORDER BY endpoint_id, due_at LIMIT 1)
    UNION ALL
    SELECT next.endpoint_id, next.due_at FROM queued CROSS JOIN LATERAL (
      SELECT endpoint_id, due_at FROM webhook_due
      WHERE endpoint_id > queued.endpoint_id AND delivery_id NOT IN (SELECT id FROM held) ORDER BY endpoint_id, due_at LIMIT 1) AS next)
  SELECT e.id, e.url, e.secret, e.failing_since IS NOT NULL AS failing,
    CASE WHEN e.previous_until > service_now() THEN e.previous_secret END AS previous_secret
  FROM queued JOIN webhook_endpoint e ON e.id = queued.endpoint_id
  WHERE queued.due_at <= service_now() AND e.disabled_at IS NULL
  ORDER BY failing, queued.due_at`

/** What is to be claimed of one endpoint: up to `room` (and `MAX_CLAIM`) deliveries, of those behind a place in its queue. */
export interface Wanted {
  endpointId: string
  room: number
  after?: Place
}

/** No more than this is claimed for one endpoint at a time. */
export const MAX_CLAIM = 500

interface ClaimedRow {
  id: string
  endpoint_id: string
  claim: string
  due_ms: number
  round: number
  attempts: number
  payload: string
}

/** What was claimed, of those endpoints that could be asked: somebody else takes from the queues of the others just now. */
export interface Got {
  claimed: Claimed[]
  asked: Wanted[]
}

/** Endpoints asked for at a time: each is a lock, of which the database has not many. */
const AT_A_TIME = 100

/**
 * Claims what is due of each endpoint, the longest due first and in that order, for `leaseMs`; whoever asks at the same time gets others.
 * A claim is one row that lists its deliveries: their own rows are written when they end, and not before.
 */
export async function claimDue(wanted: readonly Wanted[], leaseMs: number): Promise<Got> {
  const got: Got = { claimed: [], asked: [] }
  for (let begin = 0; begin < wanted.length; begin += AT_A_TIME) {
    const { claimed, asked } = await claimSome(wanted.slice(begin, begin + AT_A_TIME), leaseMs)
    got.claimed.push(...claimed)
    got.asked.push(...asked)
  }
  return got
}

const claimSome = (wanted: readonly Wanted[], leaseMs: number): Promise<Got> =>
  transactionByIndex(
    async (connection) => {
      // First, and by itself: the next statement then sees what whoever had the lock before has claimed.
      const [{ locked }] = (await query(
        'webhook-lock-queues',
        'SELECT lock_webhook_queues($1, false) AS locked',
        [wanted.map(({ endpointId }) => endpointId)],
        connection,
      )) as [{ locked: string[] }]
      const asked = wanted.filter(({ endpointId }) => locked.includes(endpointId))
      if (asked.length === 0) return { claimed: [], asked }
      const column = <T>(pick: (one: Wanted) => T) => asked.map(pick)
      const values = [
        column(({ endpointId }) => endpointId),
        column(({ room }) => Math.min(room, MAX_CLAIM)),
        column(({ after }) => after?.dueMs ?? 0),
        column(({ after }) => after?.id ?? 0),
        leaseMs,
      ]
      return { claimed: claimedOf(await query<ClaimedRow>('webhook-claim', CLAIM, values, connection)), asked }
    },
    // Nobody waits for a claim to reach the disk: one that a crash of the database loses was never given.
    ['synchronous_commit = off'],
  )

function claimedOf(rows: readonly ClaimedRow[]): Claimed[] {
  const claims = new Map<string, Claim>()
  return rows.map(({ id, endpoint_id: endpointId, claim, due_ms: dueMs, round, attempts: made, payload }) => {
    const ours = claims.get(claim) ?? { id: claim, left: 0 }
    ours.left++
    claims.set(claim, ours)
    return { id, endpointId, claim: ours, dueMs, round, made, payload }
  })
}

/* The fixed limit bounds what the planner expects. A claim that has ended is gone by now, its rows those of anybody. */
const CLAIM = `
  WITH held AS MATERIALIZED (SELECT unnest(deliveries) AS id FROM webhook_claim WHERE endpoint_id = ANY ($1::text[])),
  due AS MATERIALIZED (
    SELECT one.* FROM unnest($1::text[], $2::int[], $3::float8[], $4::bigint[]) AS wanted (endpoint_id, room, after_ms, after_id) CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT delivery_id AS id, account_id, endpoint_id, event_id, due_at, round, attempts FROM webhook_due
        WHERE endpoint_id = wanted.endpoint_id AND due_at <= service_now() AND delivery_id NOT IN (SELECT id FROM held)
          AND (due_at, delivery_id) > (to_timestamp(wanted.after_ms / 1000), wanted.after_id)
        ORDER BY due_at, delivery_id LIMIT ${MAX_CLAIM}) AS first
      LIMIT wanted.room) AS one),
  claimed AS (
    INSERT INTO webhook_claim (account_id, endpoint_id, deliveries, until)
    SELECT min(account_id), endpoint_id, array_agg(id), service_now() + $5::float8 * interval '1 millisecond' FROM due GROUP BY endpoint_id
    RETURNING id, endpoint_id)
  SELECT due.id, due.endpoint_id, claimed.id AS claim, date_part('epoch', due_at) * 1000 AS due_ms, round, attempts,
    (SELECT payload FROM webhook_event WHERE webhook_event.id = due.event_id) AS payload
  FROM due JOIN claimed USING (endpoint_id) ORDER BY due.due_at, due.id`

/** Gives claimed deliveries back as they were, for a dispatcher that stops before it has tried them. */
export async function giveBack(claimed: readonly Claimed[]): Promise<void> {
  const ended = endedBy(claimed)
  await transactionByIndex(async (connection) => {
    await shortenClaims(claimed, connection)
    const ids = ended.map(({ id }) => id)
    await query('webhook-claims-over', 'DELETE FROM webhook_claim WHERE id = ANY ($1::uuid[])', [ids], connection)
  })
  settle(claimed)
}

/** Claims of which nothing is left without these. */
export function endedBy(claimed: readonly Claimed[]): Claim[] {
  const counts = new Map<Claim, number>()
  for (const { claim } of claimed) counts.set(claim, (counts.get(claim) ?? 0) + 1)
  return [...counts].flatMap(([claim, count]) => (claim.left <= count ? [claim] : []))
}

/** These are concluded or given back. */
export function settle(claimed: readonly Claimed[]): void {
  for (const { claim } of claimed) claim.left--
}

/** These are nobody's any more; the rest of their claims goes on. */
export async function shortenClaims(claimed: readonly Claimed[], on: Runner): Promise<void> {
  if (claimed.length === 0) return
  await query('webhook-claims-shorten', SHORTEN, [[...new Set(claimed.map(({ claim }) => claim.id))], claimed.map(({ id }) => id)], on)
}

const SHORTEN = `
  WITH free AS MATERIALIZED (SELECT unnest($2::bigint[]) AS id)
  UPDATE webhook_claim SET deliveries = ARRAY(SELECT one FROM unnest(deliveries) AS one WHERE one NOT IN (SELECT id FROM free))
  WHERE id IN (SELECT id FROM webhook_claim WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE)`

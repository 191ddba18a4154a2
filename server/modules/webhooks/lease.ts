import { query } from '../../platform/database.ts'

/** An endpoint with deliveries that are due. */
export interface DueEndpoint {
  id: string
  url: string
  /** Sealed; `previousSecret` is set during the rotation overlap. */
  secret: Buffer
  previousSecret: Buffer | null
  /** Whether its last attempt failed. */
  failing: boolean
}

/** A position in an endpoint's queue. */
export interface Place {
  /** Unix milliseconds. */
  dueMs: number
  id: string
}

/** A lease on deliveries of one endpoint: one row of `webhook_claim`. */
export interface Claim {
  id: string
  /** Number of its deliveries that are neither concluded nor given back. */
  left: number
}

/** A delivery that this process holds until its lease expires. */
export interface Claimed extends Place {
  endpointId: string
  claim: Claim
  round: number
  /** Earlier attempts of this round. */
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
 * Returns the enabled endpoints of accounts that are not suspended and have due deliveries: working endpoints before failing ones, then by
 * the longest wait. Reads the leased deliveries at the head of each queue and one more, however many are queued.
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
    AND NOT EXISTS (SELECT 1 FROM account a WHERE a.id = e.account_id AND a.suspended_at IS NOT NULL)
  ORDER BY failing, queued.due_at`

/** A lease request for one endpoint: up to `room` (and `MAX_CLAIM`) deliveries behind the position `after` in its queue. */
export interface Wanted {
  endpointId: string
  room: number
  after?: Place
}

/** Maximum of deliveries in one lease (`claim_webhooks`): its row must fit into a database page (8 KB). */
export const MAX_CLAIM = 800

/** A queue that could be read (`o_id` is null), then one row for each of its leased deliveries. */
interface ClaimedRow {
  /** Position in the requests, from 1. */
  o_at: number
  o_claim: string | null
  o_id: string | null
  o_due_ms: number
  o_round: number
  o_attempts: number
  o_payload: string
}

/** The leased deliveries, and the requests whose queues could be read: other dispatchers hold the locks of the remaining queues. */
export interface Got {
  claimed: Claimed[]
  asked: Wanted[]
}

/** Endpoints per statement: each takes one of the database's limited locks. */
const AT_A_TIME = 100

/**
 * Leases due deliveries of each endpoint for `leaseMs`, in order of their due time; concurrent callers get different ones. A lease is one
 * row that lists its deliveries: their queue rows are written when they are concluded and not before. SQL function: `claim_webhooks`.
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

async function claimSome(wanted: readonly Wanted[], leaseMs: number): Promise<Got> {
  const column = <T>(pick: (one: Wanted) => T) => wanted.map(pick)
  const rows = await query<ClaimedRow>('webhook-claim', 'SELECT * FROM claim_webhooks($1, $2, $3, $4, $5)', [
    column(({ endpointId }) => endpointId),
    column(({ room }) => Math.min(room, MAX_CLAIM)),
    column(({ after }) => after?.dueMs ?? 0),
    column(({ after }) => after?.id ?? 0),
    leaseMs,
  ])
  const got: Got = { claimed: [], asked: [] }
  const claims: Claim[] = []
  for (const { o_at: at, o_claim, o_id: id, o_due_ms: dueMs, o_round: round, o_attempts: made, o_payload: payload } of rows) {
    const asked = wanted[at - 1] as Wanted
    if (id === null) {
      got.asked.push(asked)
      if (o_claim) claims[at] = { id: o_claim, left: 0 }
      continue
    }
    const claim = claims[at] as Claim
    claim.left++
    got.claimed.push({ id, endpointId: asked.endpointId, claim, dueMs, round, made, payload })
  }
  return got
}

/** Returns leased deliveries to the queue unchanged, for a dispatcher that stops before their attempts. */
export async function giveBack(claimed: readonly Claimed[]): Promise<void> {
  const claims = new Set(claimed.map(({ claim }) => claim.id))
  const over = endedBy(claimed).map(({ id }) => id)
  await query('webhook-give-back', 'SELECT shorten_webhook_claims($1, $2, $3)', [[...claims], claimed.map(({ id }) => id), over])
  settle(claimed)
}

/** Returns the leases that have no deliveries left once these are removed. */
export function endedBy(claimed: readonly Claimed[]): Claim[] {
  const counts = new Map<Claim, number>()
  for (const { claim } of claimed) counts.set(claim, (counts.get(claim) ?? 0) + 1)
  return [...counts].flatMap(([claim, count]) => (claim.left <= count ? [claim] : []))
}

/** Subtracts concluded or given back deliveries from their leases. */
export function settle(claimed: readonly Claimed[]): void {
  for (const { claim } of claimed) claim.left--
}

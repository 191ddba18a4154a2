import { query } from '../../../platform/database/database.ts'
import { leases } from '../../../platform/leases.ts'
import { tracing } from '../../../platform/observe/tracing.ts'
import { isAboutViewer, withViewers } from '../endpoints/event-viewers.ts'
import { callRoutine, integers } from './routine-call.ts'

const KIND = { table: 'webhook_lease' }

/** A position in an endpoint's queue. */
export interface QueuePosition {
  /** Unix milliseconds. */
  dueMs: number
  id: string
}

/** A delivery that this process may send until its lease expires. */
export interface LeasedDelivery extends QueuePosition {
  endpointId: string
  lease: Lease
  /** Number of replays before this one. */
  replay: number
  /** Earlier attempts of this replay. */
  attemptCount: number
  payload: string
  /** Whether the payload names a viewer, whose ID the response could repeat. */
  aboutViewer: boolean
  /** Trace of what emitted its event, if recorded. */
  traceparent?: string | undefined
}

/**
 * A lease on one endpoint's deliveries: one row of `webhook_lease`. Counts its deliveries that are neither finished nor returned, so that
 * the statement that ends the last of them also deletes the row.
 */
export class Lease {
  readonly id: string
  private open = 0
  private drop: () => void = () => {}

  constructor(id: string) {
    this.id = id
  }

  /** Renews it while it has such deliveries, until `endsAt` (`performance.now()`). After that, another dispatcher may send the rest. */
  keep(endsAt: number): void {
    this.drop = leases().keep(KIND, this.id, { until: endsAt })
  }

  /** Returns a delivery under this lease. */
  deliveryOf(fields: Omit<LeasedDelivery, 'lease'>): LeasedDelivery {
    this.open++
    return { ...fields, lease: this }
  }

  /**
   * Runs a write that ends the leases on these deliveries. `write` gets the IDs of the leases that have no other delivery. The deliveries
   * stay leased if it fails.
   */
  static async end<Result>(deliveries: readonly LeasedDelivery[], write: (endedLeases: string[]) => Promise<Result>): Promise<Result> {
    const counts = new Map<Lease, number>()
    for (const { lease } of deliveries) counts.set(lease, (counts.get(lease) ?? 0) + 1)
    const ended = [...counts].filter(([lease, count]) => lease.open <= count).map(([{ id }]) => id)
    const result = await write(ended)
    for (const [lease, count] of counts) {
      lease.open -= count
      if (lease.open <= 0) lease.drop()
    }
    return result
  }
}

/** A request to lease up to `limit` of one endpoint's deliveries, after the position `after` in its queue. */
export interface LeaseRequest {
  endpointId: string
  limit: number
  after?: QueuePosition | undefined
}

/** The response to a lease request. */
export interface Leased {
  endpointId: string
  /** By due time. */
  deliveries: LeasedDelivery[]
  /** Whether the lease is as large as allowed, so that more deliveries may be due. */
  full: boolean
}

/** A queue that was read (`o_id` is null), or one of its leased deliveries. */
interface Row {
  /** Position in the requests, from 1. */
  o_at: number
  o_lease: string | null
  o_full: boolean | null
  o_id: string | null
  o_due_ms: number
  o_replay: number
  o_attempt_count: number
  o_payload: string
}

/** Endpoints per statement: each takes one of the database's limited locks. */
const ENDPOINTS_AT_ONCE = 100

/**
 * Leases due deliveries for `leaseMs`. Concurrent callers get different ones. Resolves with a response for each queue it could read: other
 * dispatchers hold the locks of the rest. A lease is one row that lists its deliveries, whose queue rows are written only when their
 * attempts are recorded. SQL: `lease_webhook_deliveries`.
 */
export async function leaseDeliveries(requests: readonly LeaseRequest[], leaseMs: number): Promise<Leased[]> {
  const leased: Leased[] = []
  for (let begin = 0; begin < requests.length; begin += ENDPOINTS_AT_ONCE)
    leased.push(...(await leaseSome(requests.slice(begin, begin + ENDPOINTS_AT_ONCE), leaseMs)))
  return leased
}

async function leaseSome(requests: readonly LeaseRequest[], leaseMs: number): Promise<Leased[]> {
  const rows = await callRoutine<Row>('lease_webhook_deliveries', {
    endpoints: requests.map(({ endpointId }) => endpointId),
    limits: requests.map(({ limit }) => limit),
    after_ms: requests.map(({ after }) => after?.dueMs ?? 0),
    after_ids: requests.map(({ after }) => after?.id ?? 0),
    lease_ms: leaseMs,
  })
  const traces = tracing() ? await readTraces(rows.flatMap(({ o_id }) => o_id ?? [])) : undefined
  const payloads = await withViewers(rows.map(({ o_id, o_payload }) => (o_id === null ? '' : o_payload)))
  const byRequest = new Map<number, Leased>()
  const byPosition = new Map<number, Lease>()
  for (const [at, row] of rows.entries()) {
    const { endpointId } = requests[row.o_at - 1] as LeaseRequest
    if (row.o_id === null) {
      byRequest.set(row.o_at, { endpointId, deliveries: [], full: row.o_full ?? false })
      if (row.o_lease) byPosition.set(row.o_at, new Lease(row.o_lease))
      continue
    }
    const delivery = (byPosition.get(row.o_at) as Lease).deliveryOf({
      id: row.o_id,
      endpointId,
      dueMs: row.o_due_ms,
      replay: row.o_replay,
      attemptCount: row.o_attempt_count,
      payload: payloads[at] as string,
      aboutViewer: isAboutViewer(row.o_payload),
      traceparent: traces?.get(row.o_id),
    })
    byRequest.get(row.o_at)?.deliveries.push(delivery)
  }
  return [...byRequest.values()]
}

const TRACES = `
  SELECT q.delivery_id::text AS id, e.traceparent FROM webhook_queue q JOIN webhook_event e ON e.id = q.event_id
  WHERE q.delivery_id = ANY ($1::bigint[]) AND e.traceparent IS NOT NULL`

/** Separate from the lease, which then costs nothing more without traces. */
async function readTraces(deliveries: string[]): Promise<Map<string, string>> {
  const rows = await query<{ id: string; traceparent: string }>('webhook-traces', TRACES, [integers(deliveries)])
  return new Map(rows.map(({ id, traceparent }) => [id, traceparent]))
}

/** Returns leased deliveries that a dispatcher does not send to the queue, unchanged. SQL: `shorten_webhook_leases`. */
export async function returnDeliveries(deliveries: readonly LeasedDelivery[]): Promise<void> {
  await Lease.end(deliveries, (ended) =>
    callRoutine('shorten_webhook_leases', {
      leases: [...new Set(deliveries.map(({ lease }) => lease.id))],
      deliveries: integers(deliveries.map(({ id }) => id)),
      ended,
    }),
  )
}

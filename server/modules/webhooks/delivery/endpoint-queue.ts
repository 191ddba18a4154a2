import { signingSecrets } from '../endpoints/secrets.ts'
import { RETRY_SCHEDULES } from '../endpoints/state.ts'
import type { DueEndpoint } from './due-endpoints.ts'
import type { Leased, LeasedDelivery, LeaseRequest, QueuePosition } from './lease.ts'
import { type Receiver, targetOf } from './receiver-request.ts'

/** Maximum number of leased deliveries waiting in all queues together, so that fast endpoints do not wait for the database. */
export const MAX_PREFETCHED = 2_000
/** Each queue holds as many waiting deliveries as its endpoint accepts in these milliseconds. */
const PREFETCH_MS = 200

/** One endpoint's deliveries that one dispatcher has leased. */
export class EndpointQueue {
  private endpoint: DueEndpoint
  private current: Receiver
  /** Each must start before `startBefore` (`performance.now()`). */
  private readonly waiting: { delivery: LeasedDelivery; startBefore: number }[] = []
  private running = 0
  /** Whether more deliveries were due at the last read. */
  private due = true
  /** Last leased position, after which the next lease starts. Undefined starts at the head of the queue. */
  private position: QueuePosition | undefined
  private readonly concurrency: number
  /** Maximum number of waiting deliveries. */
  private ahead = 0
  /** Attempts that ended since the last lease at `since`: the endpoint's pace. */
  private ended = 0
  private since = performance.now()

  /** @param concurrency Maximum of concurrent attempts. */
  constructor(endpoint: DueEndpoint, concurrency: number) {
    this.concurrency = concurrency
    this.endpoint = endpoint
    this.current = receiverOf(endpoint)
  }

  /** Sets the endpoint's current data for further attempts, and marks its deliveries as due. */
  refresh(endpoint: DueEndpoint): void {
    this.due = true
    this.position = undefined
    this.endpoint = endpoint
    this.current = receiverOf(endpoint)
  }

  /** Marks the endpoint as having no due deliveries. */
  setNotDue(): void {
    this.due = false
  }

  get isDue(): boolean {
    return this.due
  }

  get accountId(): string {
    return this.endpoint.accountId
  }

  get isFailing(): boolean {
    return this.endpoint.failing
  }

  get receiver(): Receiver {
    return this.current
  }

  /** Number of leased deliveries, waiting and in flight. */
  get held(): number {
    return this.running + this.waiting.length
  }

  /** How many deliveries to lease now. 0 while more than half of `ahead` is waiting, because small leases cost as much as large ones. */
  get room(): number {
    const ahead = this.endpoint.failing ? 0 : this.ahead
    return this.waiting.length > ahead / 2 ? 0 : Math.max(0, this.concurrency + ahead - this.held)
  }

  request(limit: number): LeaseRequest {
    return { endpointId: this.endpoint.id, limit, after: this.position }
  }

  /** Adds leased deliveries, which must start before `startBefore`, and adjusts `ahead` to the pace since the last lease. */
  add({ deliveries, full }: Leased, startBefore: number): void {
    for (const delivery of deliveries) this.waiting.push({ delivery, startBefore })
    this.due = full
    const last = deliveries.at(-1)
    if (last) this.position = { dueMs: last.dueMs, id: last.id }
    const now = performance.now()
    const pace = (this.ended / Math.max(1, now - this.since)) * PREFETCH_MS
    this.ahead = Math.min(MAX_PREFETCHED, Math.round((this.ahead + pace) / 2))
    this.ended = 0
    this.since = now
  }

  /**
   * Takes the oldest waiting delivery, whose attempt begins. Undefined if none is waiting or `concurrency` is reached. Drops those past
   * `startBefore`, whose leases may expire during the attempt.
   */
  begin(): LeasedDelivery | undefined {
    if (this.running >= this.concurrency) return undefined
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      if (performance.now() > next.startBefore) continue
      this.running++
      return next.delivery
    }
    return undefined
  }

  /** Counts an ended attempt. */
  end(): void {
    this.running--
    this.ended++
  }

  /** Removes and returns the waiting deliveries. */
  drain(): LeasedDelivery[] {
    return this.waiting.splice(0).map(({ delivery }) => delivery)
  }
}

const receiverOf = (endpoint: DueEndpoint): Receiver => ({
  target: targetOf(endpoint.url),
  secrets: signingSecrets(endpoint),
  delays: RETRY_SCHEDULES[endpoint.retrySchedule],
})

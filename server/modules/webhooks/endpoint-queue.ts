import { type Target, targetOf } from './attempt.ts'
import type { Claimed, DueEndpoint, Place } from './lease.ts'
import { signingSecrets } from './secrets.ts'

/** Maximum of leased deliveries that wait in all queues together, so that fast endpoints do not wait for the database. */
export const AHEAD = 2_000
/** Each queue holds as many waiting deliveries as its endpoint accepts in these milliseconds. */
const AHEAD_MS = 200

/** The deliveries of one endpoint that one dispatcher has leased. */
export class EndpointQueue {
  endpoint!: DueEndpoint
  target!: Target
  /** The signing secrets that are valid now. */
  secrets: string[] = []
  /** Leased; each must start before `until` (`performance.now()`). */
  readonly waiting: { claimed: Claimed; until: number }[] = []
  running = 0
  /** Whether more deliveries are due, as of the last read. */
  due = false
  /** Last leased position: the next lease starts behind it. Undefined starts at the head of the queue. */
  read: Place | undefined
  private readonly most: number
  /** Maximum of waiting deliveries. */
  private ahead = 0
  /** Attempts that ended since the last lease at `since`: the pace of the endpoint. */
  private ended = 0
  private since = performance.now()

  /** @param most Maximum of concurrent attempts. */
  constructor(most: number) {
    this.most = most
  }

  /** Sets the endpoint's present data, for attempts from now on, and marks its deliveries as due. */
  turnTo(endpoint: DueEndpoint): void {
    this.due = true
    this.read = undefined
    this.endpoint = endpoint
    this.target = targetOf(endpoint.url)
    this.secrets = signingSecrets(endpoint)
  }

  get held(): number {
    return this.running + this.waiting.length
  }

  /** Number of deliveries to lease now; 0 while more than half of `ahead` waits, because small leases cost as much as large ones. */
  get room(): number {
    const ahead = this.endpoint.failing ? 0 : this.ahead
    return this.waiting.length > ahead / 2 ? 0 : Math.max(0, this.most + ahead - this.held)
  }

  /** Removes and returns the oldest waiting delivery. Drops those past `until`: their leases may expire during the attempt. */
  next(): Claimed | undefined {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) if (performance.now() <= next.until) return next.claimed
    return undefined
  }

  /** Counts an ended attempt. */
  end(): void {
    this.running--
    this.ended++
  }

  /** Adds deliveries leased by a request for `asked`, and adjusts `ahead` to the pace since the last lease. */
  take(claimed: readonly Claimed[], asked: number, until: number): void {
    for (const one of claimed) this.waiting.push({ claimed: one, until })
    this.due = claimed.length === asked
    const last = claimed.at(-1)
    if (last) this.read = { dueMs: last.dueMs, id: last.id }
    const now = performance.now()
    const pace = (this.ended / Math.max(1, now - this.since)) * AHEAD_MS
    this.ahead = Math.min(AHEAD, Math.round((this.ahead + pace) / 2))
    this.ended = 0
    this.since = now
  }
}

import { type Target, targetOf } from './attempt.ts'
import type { Claimed, DueEndpoint, Place } from './lease.ts'
import { signingSecrets } from './secrets.ts'

/** What fast endpoints may have claimed beyond what is on its way to them, together, so that they never wait for the database. */
export const AHEAD = 2_000
/** So many milliseconds' worth of it, at the pace that an endpoint has. */
const AHEAD_MS = 200

/** What one dispatcher does for one endpoint. */
export class EndpointQueue {
  endpoint!: DueEndpoint
  target!: Target
  /** They sign for it now. */
  secrets: string[] = []
  /** Claimed, and to be begun before `until` (by `performance.now()`). */
  readonly waiting: { claimed: Claimed; until: number }[] = []
  running = 0
  /** Something more is due for it, as far as is known. */
  due = false
  /** Its queue is claimed up to here: the next claim goes on from there, past all that is in hand or gone. Each look begins at its head. */
  read: Place | undefined
  private readonly most: number
  /** How many may wait here for their turn. */
  private ahead = 0
  /** Attempts that ended since the last claim, and when that was: how fast the endpoint is. */
  private ended = 0
  private since = performance.now()

  /** Of `most` attempts at once. */
  constructor(most: number) {
    this.most = most
  }

  /** Its endpoint has something due, and is this now: what is begun from now on goes by it. */
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

  /** How many more deliveries are worth a claim now: none while half of what may wait still does, for claiming a few at a time costs as much. */
  get room(): number {
    const ahead = this.endpoint.failing ? 0 : this.ahead
    return this.waiting.length > ahead / 2 ? 0 : Math.max(0, this.most + ahead - this.held)
  }

  /** Takes out what has waited longest. What waited so long that its claim may end before it does is dropped: somebody will claim it anew. */
  next(): Claimed | undefined {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) if (performance.now() <= next.until) return next.claimed
    return undefined
  }

  /** An attempt has ended. */
  end(): void {
    this.running--
    this.ended++
  }

  /** These were claimed, of so many `asked` for: what may wait follows the pace since the last time. */
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

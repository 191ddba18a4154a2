import { dueEndpoints } from './due-endpoints.ts'
import { EndpointQueue, MAX_PREFETCHED } from './endpoint-queue.ts'
import type { Leased, LeasedDelivery, LeaseRequest } from './lease.ts'
import type { Receiver } from './receiver-request.ts'

interface Limits {
  /** Maximum number of concurrent attempts. */
  concurrency: number
  /** Maximum number of concurrent attempts to one endpoint. */
  perEndpoint: number
  /** How often the due endpoints are read, in milliseconds. A notice triggers a read as well. */
  pollMs: number
}

/** All endpoint queues of a dispatcher, which share its concurrent attempts. */
export class EndpointQueues {
  private readonly limits: Limits
  private readonly queues = new Map<string, EndpointQueue>()
  /** The same queues for round robin; `turn` is the next index. Reordering the map for each delivery would rehash it often. */
  private order: EndpointQueue[] = []
  private turn = 0
  /** When to read the due endpoints next, by `performance.now()`. */
  private readAt = 0
  /** Whether some queue got less than its `room` in the last lease requests. */
  private crowded = false

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** Makes the next `leaseRequests` read the due endpoints from the database. */
  invalidate(): void {
    this.readAt = 0
  }

  /** Returns how many deliveries to lease now, by endpoint. Most calls follow another one and do not read the due endpoints. */
  async leaseRequests(): Promise<LeaseRequest[]> {
    if (performance.now() >= this.readAt) await this.readDueEndpoints()
    const { concurrency } = this.limits
    let [held, heldByFailing] = [0, 0]
    for (const queue of this.queues.values()) {
      held += queue.held
      if (queue.isFailing) heldByFailing += queue.held
    }
    const due = [...this.queues].filter(([, queue]) => queue.isDue)
    const asking = due.map(([id, queue]) => ({ id, accountId: queue.accountId, failing: queue.isFailing, room: queue.room }))
    const shares = fairShare(asking, concurrency + MAX_PREFETCHED - held, Math.ceil(concurrency / 2) - heldByFailing)
    this.crowded = asking.some(({ id, room }) => room > (shares.get(id) ?? 0))
    return [...shares].map(([id, limit]) => (this.queues.get(id) as EndpointQueue).request(limit))
  }

  private async readDueEndpoints(): Promise<void> {
    this.readAt = performance.now() + this.limits.pollMs
    const found = await dueEndpoints()
    const ids = new Set(found.map(({ id }) => id))
    for (const [id, queue] of this.queues) {
      queue.setNotDue()
      if (queue.held === 0 && !ids.has(id)) this.queues.delete(id)
    }
    for (const endpoint of found) {
      const queue = this.queues.get(endpoint.id)
      if (queue) queue.refresh(endpoint)
      else this.queues.set(endpoint.id, new EndpointQueue(endpoint, this.limits.perEndpoint))
    }
    this.order = [...this.queues.values()]
  }

  /** Adds leased deliveries; each must start before `startBefore` (`performance.now()`). */
  add(leased: readonly Leased[], startBefore: number): void {
    for (const one of leased) this.queues.get(one.endpointId)?.add(one, startBefore)
  }

  /** Takes the next delivery, whose attempt begins: round robin over the endpoints below `perEndpoint`. */
  begin(): { receiver: Receiver; delivery: LeasedDelivery } | undefined {
    for (let looked = 0; looked < this.order.length; looked++) {
      const queue = this.order[this.turn++ % this.order.length] as EndpointQueue
      const delivery = queue.begin()
      if (delivery) return { receiver: queue.receiver, delivery }
    }
    return undefined
  }

  /** Counts an ended attempt. Returns whether to lease more now. */
  end(endpointId: string): boolean {
    const queue = this.queues.get(endpointId) as EndpointQueue
    queue.end()
    return this.crowded || (queue.isDue && queue.room > 0)
  }

  /** Whether some queue with due deliveries can hold more. */
  get hasRoom(): boolean {
    return [...this.queues.values()].some(({ isDue, room }) => isDue && room > 0)
  }

  /** Removes and returns the waiting deliveries of an endpoint. */
  drain(endpointId: string): LeasedDelivery[] {
    return this.queues.get(endpointId)?.drain() ?? []
  }

  /** Removes and returns all waiting deliveries. */
  drainAll(): LeasedDelivery[] {
    return [...this.queues.values()].flatMap((queue) => queue.drain())
  }
}

/** One endpoint's demand. */
interface Asking extends Demand {
  accountId: string
  failing: boolean
}

interface Demand {
  id: string
  /** Maximum number of additional deliveries. */
  room: number
}

/**
 * Divides `free` places evenly among the accounts and an account's among its endpoints, however much each has queued; places that one
 * cannot use go to the others. Failing endpoints get at most half of the places and at most `forFailing` together, so that they cannot block the working ones.
 */
export function fairShare(asking: readonly Asking[], free: number, forFailing: number): Map<string, number> {
  const failing = share(
    asking.filter((one) => one.failing),
    Math.min(Math.ceil(free / 2), forFailing),
  )
  const taken = [...failing.values()].reduce((total, part) => total + part, 0)
  const well = share(
    asking.filter((one) => !one.failing),
    free - taken,
  )
  return new Map([...well, ...failing])
}

function share(asking: readonly Asking[], places: number): Map<string, number> {
  const accounts = Map.groupBy(
    asking.filter(({ room }) => room > 0),
    ({ accountId }) => accountId,
  )
  const demands = [...accounts].map(([id, its]) => ({ id, room: its.reduce((sum, { room }) => sum + room, 0) }))
  return new Map([...divide(demands, places)].flatMap(([id, part]) => [...divide(accounts.get(id) ?? [], part)]))
}

/** Serves the smallest demand first, so that each later even share is at least as large. */
function divide(asking: readonly Demand[], places: number): Map<string, number> {
  const shares = new Map<string, number>()
  const sorted = asking.toSorted((a, b) => a.room - b.room)
  let left = Math.max(0, places)
  for (const [index, { id, room }] of sorted.entries()) {
    const part = Math.min(room, Math.ceil(left / (sorted.length - index)))
    if (part > 0) shares.set(id, part)
    left -= part
  }
  return shares
}

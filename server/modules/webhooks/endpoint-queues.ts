import { AHEAD, EndpointQueue } from './endpoint-queue.ts'
import { fairShare } from './fair-share.ts'
import { type Claimed, dueEndpoints, type Got, MAX_CLAIM, type Wanted } from './lease.ts'

interface Limits {
  /** Maximum of concurrent attempts. */
  concurrency: number
  /** Maximum of concurrent attempts to one endpoint. */
  perEndpoint: number
  /** Interval at which the due endpoints are read, in milliseconds; a notification reads them as well. */
  lookMs: number
}

/** All endpoint queues of a dispatcher; shares its concurrent attempts among them. */
export class EndpointQueues {
  private readonly limits: Limits
  private readonly queues = new Map<string, EndpointQueue>()
  /** The same queues for round robin; `turn` is the next index. Reordering the map for each delivery would rehash it often. */
  private order: EndpointQueue[] = []
  private turn = 0
  /** By `performance.now()`. */
  private lookAt = 0
  /** Whether some queue got less than its `room` from the last `wanted`. */
  private crowded = false

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** Makes the next `wanted` read the due endpoints from the database. */
  expect(): void {
    this.lookAt = 0
  }

  /** Returns how many deliveries of which endpoints to lease now. Most calls follow another one and skip the look-up of due endpoints. */
  async wanted(): Promise<Wanted[]> {
    if (performance.now() >= this.lookAt) await this.look()
    const queues = [...this.queues.values()]
    const due = queues.filter(({ due }) => due)
    const held = (some: EndpointQueue[]) => some.reduce((sum, queue) => sum + queue.held, 0)
    const { concurrency } = this.limits
    const free = concurrency + AHEAD - held(queues)
    const forFailing = Math.ceil(concurrency / 2) - held(queues.filter(({ endpoint }) => endpoint.failing))
    const asking = due.map(({ endpoint: { id, failing }, room }) => ({ id, failing, room }))
    const shares = fairShare(asking, free, forFailing)
    this.crowded = asking.some(({ id, room }) => room > (shares.get(id) ?? 0))
    return [...shares].map(([endpointId, room]) => ({ endpointId, room, after: this.queues.get(endpointId)?.read }))
  }

  private async look(): Promise<void> {
    this.lookAt = performance.now() + this.limits.lookMs
    const found = new Map((await dueEndpoints()).map((endpoint) => [endpoint.id, endpoint]))
    for (const [id, queue] of this.queues) {
      queue.due = false
      if (queue.held === 0 && !found.has(id)) this.queues.delete(id)
    }
    for (const [id, endpoint] of found) {
      const queue = this.queues.get(id) ?? new EndpointQueue(this.limits.perEndpoint)
      queue.turnTo(endpoint)
      this.queues.set(id, queue)
    }
    this.order = [...this.queues.values()]
  }

  /** Queues leased deliveries; each must start before `until`. */
  take({ claimed, asked }: Got, until: number): void {
    const got = Map.groupBy(claimed, ({ endpointId }) => endpointId)
    for (const { endpointId: id, room } of asked) this.queues.get(id)?.take(got.get(id) ?? [], Math.min(room, MAX_CLAIM), until)
  }

  /** Removes and returns the next delivery: round robin over the endpoints below `perEndpoint`. */
  next(): { queue: EndpointQueue; claimed: Claimed } | undefined {
    for (let looked = 0; looked < this.order.length; looked++) {
      const queue = this.order[this.turn++ % this.order.length] as EndpointQueue
      const claimed = queue.running < this.limits.perEndpoint ? queue.next() : undefined
      if (claimed) return { queue, claimed }
    }
    return undefined
  }

  /** Whether to lease more after an attempt of this queue ended. */
  isWorthClaim(queue: EndpointQueue): boolean {
    return this.crowded || (queue.due && queue.room > 0)
  }

  /** Whether some queue with due deliveries can hold more. */
  get hasRoom(): boolean {
    return [...this.queues.values()].some(({ due, room }) => due && room > 0)
  }

  /** Removes and returns the waiting deliveries of an endpoint. */
  empty(endpointId: string): Claimed[] {
    return (
      this.queues
        .get(endpointId)
        ?.waiting.splice(0)
        .map(({ claimed }) => claimed) ?? []
    )
  }

  get ids(): string[] {
    return [...this.queues.keys()]
  }
}

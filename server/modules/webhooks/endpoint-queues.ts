import { AHEAD, EndpointQueue } from './endpoint-queue.ts'
import { fairShare } from './fair-share.ts'
import { type Claimed, dueEndpoints, type Got, MAX_CLAIM, type Wanted } from './lease.ts'

interface Limits {
  /** Deliveries under way at once. */
  concurrency: number
  /** Of them to one endpoint. */
  perEndpoint: number
  /** Who has something due is looked up this often, in milliseconds, and at each notice. */
  lookMs: number
}

/** All lanes of a dispatcher: shares its places among them. */
export class EndpointQueues {
  private readonly limits: Limits
  private readonly lanes = new Map<string, EndpointQueue>()
  /** The same in a row, and whose turn it is: moving one to the end of a map for each delivery makes it anew again and again. */
  private line: EndpointQueue[] = []
  private turn = 0
  /** By `performance.now()`. */
  private lookAt = 0
  /** Some endpoint could not have all that there was room for in its lane: places are short. */
  private crowded = false

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** Something may be due that was not, or an endpoint is not what it was. */
  expect(): void {
    this.lookAt = 0
  }

  /** How many deliveries of which endpoints are worth a claim now. Most claims follow others and need not look who has something due. */
  async wanted(): Promise<Wanted[]> {
    if (performance.now() >= this.lookAt) await this.look()
    const lanes = [...this.lanes.values()]
    const due = lanes.filter(({ due }) => due)
    const held = (some: EndpointQueue[]) => some.reduce((sum, lane) => sum + lane.held, 0)
    const { concurrency } = this.limits
    const free = concurrency + AHEAD - held(lanes)
    const forFailing = Math.ceil(concurrency / 2) - held(lanes.filter(({ endpoint }) => endpoint.failing))
    const asking = due.map(({ endpoint: { id, failing }, room }) => ({ id, failing, room }))
    const shares = fairShare(asking, free, forFailing)
    this.crowded = asking.some(({ id, room }) => room > (shares.get(id) ?? 0))
    return [...shares].map(([endpointId, room]) => ({ endpointId, room, after: this.lanes.get(endpointId)?.read }))
  }

  private async look(): Promise<void> {
    this.lookAt = performance.now() + this.limits.lookMs
    const found = new Map((await dueEndpoints()).map((endpoint) => [endpoint.id, endpoint]))
    for (const [id, lane] of this.lanes) {
      lane.due = false
      if (lane.held === 0 && !found.has(id)) this.lanes.delete(id)
    }
    for (const [id, endpoint] of found) {
      const lane = this.lanes.get(id) ?? new EndpointQueue(this.limits.perEndpoint)
      lane.turnTo(endpoint)
      this.lanes.set(id, lane)
    }
    this.line = [...this.lanes.values()]
  }

  /** What was claimed of what was asked for waits its turn, until `until` at most. */
  take({ claimed, asked }: Got, until: number): void {
    const got = Map.groupBy(claimed, ({ endpointId }) => endpointId)
    for (const { endpointId: id, room } of asked) this.lanes.get(id)?.take(got.get(id) ?? [], Math.min(room, MAX_CLAIM), until)
  }

  /** The delivery whose turn it is: one of each endpoint after the other, of those with a place left. */
  next(): { lane: EndpointQueue; claimed: Claimed } | undefined {
    for (let looked = 0; looked < this.line.length; looked++) {
      const lane = this.line[this.turn++ % this.line.length] as EndpointQueue
      const claimed = lane.running < this.limits.perEndpoint ? lane.next() : undefined
      if (claimed) return { lane, claimed }
    }
    return undefined
  }

  /** Whether an attempt of this lane that has ended makes a claim worthwhile. */
  isWorthClaim(lane: EndpointQueue): boolean {
    return this.crowded || (lane.due && lane.room > 0)
  }

  /** Whether some lane has room left for what may still be due. */
  get hasRoom(): boolean {
    return [...this.lanes.values()].some(({ due, room }) => due && room > 0)
  }

  /** Takes out what waits for an endpoint. */
  empty(endpointId: string): Claimed[] {
    return (
      this.lanes
        .get(endpointId)
        ?.waiting.splice(0)
        .map(({ claimed }) => claimed) ?? []
    )
  }

  get ids(): string[] {
    return [...this.lanes.keys()]
  }
}

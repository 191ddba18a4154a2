import { setTimeout as wait } from 'node:timers/promises'
import type { Agent } from 'undici'
import { serviceNow } from '../infra/clock.ts'
import { env } from '../infra/env.ts'
import { log } from '../infra/log.ts'
import { changes } from '../infra/notify.ts'
import { outgoingAgent, type Resolve } from '../infra/outgoing.ts'
import { allot } from './allot.ts'
import { attempt, type Outcome } from './attempt.ts'
import { type Claimed, claimDue, dueEndpoints, giveBack } from './claim.ts'
import { conclude, type Ended } from './conclude.ts'
import { disableEndpoint, stopStragglers } from './disable.ts'
import { AHEAD, Lane } from './lane.ts'
import { tellDisabled } from './notice.ts'
import { signatureHeader } from './signature.ts'
import { ATTEMPT_SEC, FAILING_DAYS, nextDelaySec } from './state.ts'

/** How a dispatcher differs from the usual; tests make time pass faster. */
export interface Pace {
  /** All delays between attempts times this. */
  factor?: number
  /** Milliseconds that an attempt may take. */
  patienceMs?: number
  /** Deliveries under way at once. */
  concurrency?: number
  /** Of them to one endpoint. */
  perEndpoint?: number
  /** Milliseconds that a claim outlasts an attempt by. */
  slackMs?: number
  resolve?: Resolve
}

/** Idle dispatchers look for due retries this often; new deliveries wake them by notice. */
const LOOK_MS = 250
/** What is on its way gets so long to end by itself when we stop. */
const LAST_MS = 3_000
/** A claim outlasts an attempt by this, for waiting before it and writing after it. */
const SLACK_MS = 20_000
/** Deliveries that a disabled endpoint still has are looked for this often. */
const TIDY_MS = 30_000
/** Outcomes written at once, and how long the first of them waits for others: each writing waits for the disk. */
const BATCH = 500
const GATHER_MS = 20

/**
 * Delivers what is due (specification §6.2), in one process of any number: each delivery is claimed before it is sent, so one that is killed
 * leaves claims that end by themselves, and nothing is lost. An endpoint has a bounded number of attempts on their way.
 */
export class Dispatcher {
  private readonly factor: number
  private readonly patienceMs: number
  private readonly slackMs: number
  private readonly concurrency: number
  private readonly perEndpoint: number
  private readonly agent: Agent
  private readonly lanes = new Map<string, Lane>()
  private readonly leaving = new AbortController()
  private readonly interrupt = new AbortController()
  private readonly underWay = new Set<Promise<void>>()
  private running = 0
  private ended: Ended[] = []
  private writing: Promise<void> | undefined
  private loop: Promise<void> | undefined
  private wake: () => void = () => {}
  private unsubscribe: (() => void)[] = []
  private tidyAt = 0
  /** Some endpoint could not have all that there was room for in its lane: places are short. */
  private crowded = false

  constructor({
    factor = 1,
    patienceMs = ATTEMPT_SEC * 1_000,
    concurrency = env().WEBHOOK_CONCURRENCY,
    perEndpoint = 50,
    slackMs = SLACK_MS,
    resolve,
  }: Pace = {}) {
    this.factor = factor
    this.patienceMs = patienceMs
    this.slackMs = slackMs
    this.concurrency = concurrency
    this.perEndpoint = Math.min(perEndpoint, concurrency)
    // Endpoints of one host share its connections; each has its own bound, so they never wait for each other's.
    this.agent = outgoingAgent({ connections: concurrency, patienceMs, resolve })
  }

  start(): void {
    this.unsubscribe = [
      changes().on('webhook-due', () => this.wake()),
      changes().on('webhook-receiver', (endpointId) => void this.release(endpointId)),
    ]
    this.loop ??= this.work()
  }

  /** Begins nothing more, and interrupts what does not end soon; whoever works next tries that anew. Resolves when all is written. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.unsubscribe) unsubscribe()
    this.leaving.abort(new Error('The dispatcher is stopping.'))
    this.wake()
    await this.loop
    const timer = setTimeout(() => this.interrupt.abort(), LAST_MS)
    await Promise.all(this.underWay)
    clearTimeout(timer)
    await this.writing
    await this.agent.destroy()
  }

  private async work(): Promise<void> {
    while (!this.leaving.signal.aborted) {
      const woken = new Promise<void>((resolve) => (this.wake = resolve))
      const more = await this.fetch().catch(async (error: Error) => {
        log().warn({ err: error.message }, 'webhook deliveries could not be read; looking again soon')
        await wait(1_000, undefined, { signal: this.leaving.signal }).catch(() => {})
        return false
      })
      if (more) continue
      const timer = setTimeout(() => this.wake(), LOOK_MS * Math.min(1, this.factor * 4))
      await woken
      clearTimeout(timer)
    }
    await Promise.all([...this.lanes.keys()].map((id) => this.release(id)))
  }

  /** Gives back what waits for an endpoint: it is gone or disabled, has moved, or we stop. */
  private async release(endpointId: string): Promise<void> {
    const left = this.lanes.get(endpointId)?.waiting.splice(0) ?? []
    if (left.length === 0) return
    // Without the database their claims end by themselves.
    await giveBack(left.map(({ claimed }) => claimed))
      .then(stopStragglers)
      .catch(() => {})
  }

  /** Claims as much as there is room for, and begins it. Resolves with whether it is worth looking for more at once. */
  private async fetch(): Promise<boolean> {
    if (performance.now() > this.tidyAt) {
      this.tidyAt = performance.now() + TIDY_MS
      await stopStragglers()
    }
    const due = (await dueEndpoints()).map((endpoint) => {
      const lane = this.lanes.get(endpoint.id) ?? new Lane(endpoint, this.perEndpoint)
      lane.turnTo(endpoint)
      this.lanes.set(endpoint.id, lane)
      return lane
    })
    for (const [id, lane] of this.lanes) if (lane.held === 0 && !due.includes(lane)) this.lanes.delete(id)
    const held = (lanes: Lane[]) => lanes.reduce((sum, lane) => sum + lane.held, 0)
    const lanes = [...this.lanes.values()]
    const free = this.concurrency + AHEAD - held(lanes)
    const forFailing = Math.ceil(this.concurrency / 2) - held(lanes.filter(({ endpoint }) => endpoint.failing))
    const asking = due.map(({ endpoint: { id, failing }, room }) => ({ id, failing, room }))
    const wanted = allot(asking, free, forFailing)
    this.crowded = asking.some(({ id, room }) => room > (wanted.get(id) ?? 0))
    if (wanted.size === 0 || this.leaving.signal.aborted) return false
    const leaseMs = this.patienceMs + this.slackMs
    const until = performance.now() + this.slackMs / 2
    const claimed = await claimDue(wanted, leaseMs)
    for (const id of wanted.keys()) this.lanes.get(id)?.keepPace()
    for (const one of claimed) this.lanes.get(one.endpointId)?.waiting.push({ claimed: one, until })
    this.begin()
    return claimed.length > 0 && due.some(({ room }) => room > 0)
  }

  /** Begins what waits as far as there are places, one of each endpoint in turn. */
  private begin(): void {
    for (;;) {
      if (this.running >= this.concurrency || this.leaving.signal.aborted) return
      const lane = [...this.lanes.values()].find(({ waiting, running }) => waiting.length > 0 && running < this.perEndpoint)
      const next = lane?.waiting.shift()
      if (!lane || !next) return
      // To the end of the line.
      this.lanes.delete(lane.endpoint.id)
      this.lanes.set(lane.endpoint.id, lane)
      // It waited so long that its claim may end before it does: somebody will claim it anew.
      if (performance.now() > next.until) continue
      lane.running++
      this.running++
      const delivery = this.deliver(lane, next.claimed).finally(() => this.underWay.delete(delivery))
      this.underWay.add(delivery)
    }
  }

  private async deliver(lane: Lane, claimed: Claimed): Promise<void> {
    const { target, secrets } = lane
    const signature = signatureHeader(secrets, Math.floor(serviceNow() / 1_000), claimed.payload)
    const { agent, patienceMs } = this
    const outcome = await attempt({ agent, target, body: claimed.payload, signature, patienceMs, stop: this.interrupt.signal })
    lane.end()
    this.running--
    // Interrupted by us, which says nothing about the receiver.
    if (this.interrupt.signal.aborted && outcome.problem !== undefined) return giveBack([claimed]).catch(() => {})
    this.ended.push({ claimed, outcome, signature, endedAt: performance.now(), nextInMs: this.nextInMs(claimed, outcome) })
    this.writing ??= this.write()
    if (outcome.status === 410) void this.disable(claimed.endpointId, 'gone')
    this.begin()
    if (this.crowded || lane.room > 0) this.wake()
  }

  private nextInMs({ made }: Claimed, { problem, status, retryAfterSec }: Outcome): number | undefined {
    if (problem === undefined || status === 410) return undefined
    const delay = nextDelaySec(made + 1, retryAfterSec)
    return delay === undefined ? undefined : delay * 1_000 * this.factor
  }

  /** Writes what has ended; what ends meanwhile is written next, all at once. Without the database it is kept and tried again. */
  private async write(): Promise<void> {
    while (this.ended.length > 0) {
      if (this.ended.length < BATCH) await wait(GATHER_MS)
      const batch = this.ended.splice(0, BATCH)
      try {
        const failing = await conclude(batch, FAILING_DAYS * 86_400_000 * this.factor)
        for (const id of failing) await this.disable(id, 'failing')
      } catch (error) {
        if (this.leaving.signal.aborted) break
        log().warn({ err: (error as Error).message }, 'the outcome of webhook deliveries could not be written; trying again')
        this.ended.unshift(...batch)
        await wait(500)
      }
    }
    this.writing = undefined
  }

  private async disable(endpointId: string, why: 'gone' | 'failing'): Promise<void> {
    try {
      await this.release(endpointId)
      const disabled = await disableEndpoint(endpointId, why)
      if (disabled) await tellDisabled(disabled, why)
    } catch (error) {
      log().warn({ err: (error as Error).message, endpointId }, 'a webhook endpoint could not be disabled; its next failure does it')
    }
  }
}

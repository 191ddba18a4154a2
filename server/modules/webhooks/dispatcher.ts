import { setTimeout as wait } from 'node:timers/promises'
import type { Agent } from 'undici'
import { serviceNow } from '../../platform/clock.ts'
import { env } from '../../platform/config.ts'
import { log } from '../../platform/log.ts'
import { notifications } from '../../platform/notifications.ts'
import { type Resolve, ssrfSafeAgent } from '../../platform/ssrf-safe-agent.ts'
import { Attempt, type Outcome } from './attempt.ts'
import { disableEndpoint, stopStragglers } from './disable-endpoint.ts'
import type { EndpointQueue } from './endpoint-queue.ts'
import { EndpointQueues } from './endpoint-queues.ts'
import { type Claimed, claimDue, giveBack } from './lease.ts'
import { notifyEndpointDisabled } from './notice.ts'
import { Outcomes } from './outcomes.ts'
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

/** A delivery on its way. */
interface Sent {
  lane: EndpointQueue
  claimed: Claimed
  signature: string
  /** Where it stands among all that are. */
  at: number
  attempt?: Attempt
}

/** Idle dispatchers look for due retries this often; new deliveries wake them by notice. */
const LOOK_MS = 250
/** What is on its way gets so long to end by itself when we stop. */
const LAST_MS = 3_000
/** A claim outlasts an attempt by this, for waiting before it and writing after it. */
const SLACK_MS = 20_000
/** Deliveries that a disabled endpoint still has are looked for this often. */
const TIDY_MS = 30_000

/**
 * Delivers what is due (specification §6.2), in one process of any number: each delivery is claimed before it is sent, so one that is killed
 * leaves claims that end by themselves, and nothing is lost. An endpoint has a bounded number of attempts on their way.
 */
export class Dispatcher {
  private readonly factor: number
  private readonly patienceMs: number
  private readonly slackMs: number
  private readonly concurrency: number
  private readonly agent: Agent
  private readonly lanes: EndpointQueues
  private readonly outcomes: Outcomes
  private readonly leaving = new AbortController()
  /** In no order. A set would do, but one that much passes through is copied again and again, and the collector takes what it held for alive. */
  private readonly underWay: Sent[] = []
  /** Stopping, we gave up what was still under way: these. */
  private interrupted: Claimed[] | undefined
  private loop: Promise<void> | undefined
  private wake: () => void = () => {}
  private atRest: () => void = () => {}
  private unsubscribe: (() => void)[] = []
  private beginning: NodeJS.Immediate | undefined
  private tidyAt = 0
  /** Endpoints that have changed since the last claim was asked for: what it brings for them is not for what they are now. */
  private readonly changed = new Set<string>()

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
    this.lanes = new EndpointQueues({ concurrency, perEndpoint: Math.min(perEndpoint, concurrency), lookMs: this.lookMs })
    this.outcomes = new Outcomes({
      failingMs: FAILING_DAYS * 86_400_000 * factor,
      giveUp: (endpointId) => this.disable(endpointId, 'failing'),
      leaving: this.leaving.signal,
    })
    // Endpoints of one host share its connections; each has its own bound, so they never wait for each other's.
    this.agent = ssrfSafeAgent({ connections: concurrency, patienceMs, resolve })
  }

  start(): void {
    this.unsubscribe = [
      notifications().on('webhook-due', () => this.look()),
      notifications().on('webhook-receiver', (endpointId) => {
        this.lanes.expect()
        this.changed.add(endpointId)
        void this.release(endpointId)
      }),
    ]
    this.loop ??= this.work()
  }

  /** Begins nothing more, and interrupts what does not end soon; whoever works next tries that anew. Resolves when all is written. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.unsubscribe) unsubscribe()
    this.leaving.abort(new Error('The dispatcher is stopping.'))
    this.wake()
    await this.loop
    const timer = setTimeout(() => this.giveUp(), LAST_MS)
    if (this.underWay.length > 0) await new Promise<void>((resolve) => (this.atRest = resolve))
    clearTimeout(timer)
    // Without the database their claims end by themselves.
    if (this.interrupted?.length) await giveBack(this.interrupted).catch(() => {})
    await this.outcomes.written()
    await this.agent.destroy()
  }

  private get lookMs(): number {
    return LOOK_MS * Math.min(1, this.factor * 4)
  }

  /** Something may be due that was not before. */
  private look(): void {
    this.lanes.expect()
    this.wake()
  }

  private giveUp(): void {
    this.interrupted = []
    for (const { attempt } of [...this.underWay]) attempt?.giveUp(new Error('The dispatcher is stopping.'))
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
      const timer = setTimeout(() => this.look(), this.lookMs)
      await woken
      clearTimeout(timer)
    }
    await Promise.all(this.lanes.ids.map((id) => this.release(id)))
  }

  /** Gives back what waits for an endpoint: it is gone or disabled, has moved, or we stop. */
  private async release(endpointId: string): Promise<void> {
    const left = this.lanes.empty(endpointId)
    if (left.length === 0) return
    // Without the database their claims end by themselves.
    await giveBack(left)
      .then(stopStragglers)
      .catch(() => {})
  }

  /** Claims as much as there is room for, and begins it. Resolves with whether it is worth looking for more at once. */
  private async fetch(): Promise<boolean> {
    if (performance.now() > this.tidyAt) {
      this.tidyAt = performance.now() + TIDY_MS
      await stopStragglers()
    }
    this.changed.clear()
    const wanted = await this.lanes.wanted()
    if (wanted.length === 0 || this.leaving.signal.aborted) return false
    const leaseMs = this.patienceMs + this.slackMs
    const until = performance.now() + this.slackMs / 2
    const got = await claimDue(wanted, leaseMs)
    this.lanes.take(got, until)
    await Promise.all([...this.changed].map((id) => this.release(id)))
    this.begin()
    return got.claimed.length > 0 && this.lanes.hasRoom
  }

  /** Begins what waits as far as there are places. */
  private begin(): void {
    while (this.underWay.length < this.concurrency && !this.leaving.signal.aborted) {
      const next = this.lanes.next()
      if (!next) return
      this.send(next.lane, next.claimed)
    }
  }

  /** What answers that came together make room for leaves together: a receiver on this machine is then woken once and not for each. */
  private beginTogether(): void {
    this.beginning ??= setImmediate(() => {
      this.beginning = undefined
      this.begin()
    })
  }

  private send(lane: EndpointQueue, claimed: Claimed): void {
    const { target, secrets } = lane
    const signature = signatureHeader(secrets, Math.floor(serviceNow() / 1_000), claimed.payload)
    const sent: Sent = { lane, claimed, signature, at: this.underWay.length }
    lane.running++
    this.underWay.push(sent)
    const { agent, patienceMs } = this
    sent.attempt = new Attempt({ agent, target, body: claimed.payload, signature, patienceMs }, (outcome) => this.answered(sent, outcome))
  }

  private answered(sent: Sent, outcome: Outcome): void {
    const { lane, claimed, signature } = sent
    const last = this.underWay.pop() as Sent
    if (last !== sent) {
      last.at = sent.at
      this.underWay[sent.at] = last
    }
    lane.end()
    // Given up by us, which says nothing about the receiver.
    if (this.interrupted && outcome.problem !== undefined) this.interrupted.push(claimed)
    else {
      this.outcomes.add({ claimed, outcome, signature, endedAt: performance.now(), nextInMs: this.nextInMs(claimed, outcome) })
      if (outcome.status === 410) void this.disable(claimed.endpointId, 'gone')
    }
    if (this.underWay.length === 0) this.atRest()
    this.beginTogether()
    if (this.lanes.isWorthClaim(lane)) this.wake()
  }

  private nextInMs({ made }: Claimed, { problem, status, retryAfterSec }: Outcome): number | undefined {
    if (problem === undefined || status === 410) return undefined
    const delay = nextDelaySec(made + 1, retryAfterSec)
    return delay === undefined ? undefined : delay * 1_000 * this.factor
  }

  private async disable(endpointId: string, why: 'gone' | 'failing'): Promise<void> {
    try {
      await this.release(endpointId)
      const disabled = await disableEndpoint(endpointId, why)
      if (disabled) await notifyEndpointDisabled(disabled, why)
    } catch (error) {
      log().warn({ err: (error as Error).message, endpointId }, 'a webhook endpoint could not be disabled; its next failure does it')
    }
  }
}

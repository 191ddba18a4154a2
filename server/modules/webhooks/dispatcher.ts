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

/** Settings of a dispatcher that tests change to shorten its delays. */
export interface Pace {
  /** Multiplies all delays between attempts. */
  factor?: number
  /** Time limit of one attempt, in milliseconds. */
  patienceMs?: number
  /** Maximum of concurrent attempts. */
  concurrency?: number
  /** Maximum of concurrent attempts to one endpoint. */
  perEndpoint?: number
  /** Milliseconds by which a lease outlasts an attempt. */
  slackMs?: number
  resolve?: Resolve
}

/** A delivery whose attempt is in flight. */
interface Sent {
  queue: EndpointQueue
  claimed: Claimed
  signature: string
  /** Its index in `inFlight`. */
  at: number
  attempt?: Attempt
}

/** Interval at which an idle dispatcher polls for due retries, in milliseconds; a notification announces new deliveries. */
const POLL_MS = 250
/** Time that attempts in flight get to end after `stop`, in milliseconds. */
const LAST_MS = 3_000
/** A lease outlasts an attempt by these milliseconds: for the wait before it and the write after it. */
const SLACK_MS = 20_000
/** Interval at which deliveries left at disabled endpoints are stopped, in milliseconds. */
const TIDY_MS = 30_000

/**
 * Sends due deliveries (specification §6.2). Any number of processes may run one. It leases each delivery before it sends it; leases of a
 * killed process expire, so no delivery is lost. The number of concurrent attempts to one endpoint is bounded.
 */
export class Dispatcher {
  private readonly factor: number
  private readonly patienceMs: number
  private readonly slackMs: number
  private readonly concurrency: number
  private readonly agent: Agent
  private readonly queues: EndpointQueues
  private readonly outcomes: Outcomes
  private readonly stopping = new AbortController()
  /** Unordered. Not a Set: a Set with many insertions and deletions is rehashed often, and its old tables keep deleted entries alive. */
  private readonly inFlight: Sent[] = []
  /** Deliveries whose attempts `stop` aborted; undefined before that. */
  private interrupted: Claimed[] | undefined
  private loop: Promise<void> | undefined
  private wake: () => void = () => {}
  private whenIdle: () => void = () => {}
  private unsubscribe: (() => void)[] = []
  private beginning: NodeJS.Immediate | undefined
  private tidyAt = 0
  /** Endpoints that changed since the last lease request: deliveries it returns for them are given back. */
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
    this.queues = new EndpointQueues({ concurrency, perEndpoint: Math.min(perEndpoint, concurrency), lookMs: this.lookMs })
    this.outcomes = new Outcomes({
      failingMs: FAILING_DAYS * 86_400_000 * factor,
      giveUp: (endpointId) => this.disable(endpointId, 'failing'),
      stopping: this.stopping.signal,
    })
    // Endpoints of one host share its connections. Each endpoint has its own bound, so none blocks another.
    this.agent = ssrfSafeAgent({ connections: concurrency, patienceMs, resolve })
  }

  start(): void {
    this.unsubscribe = [
      notifications().on('webhook-due', () => this.look()),
      notifications().on('webhook-receiver', (endpointId) => {
        this.queues.expect()
        this.changed.add(endpointId)
        void this.release(endpointId)
      }),
    ]
    this.loop ??= this.work()
  }

  /** Starts no more attempts and aborts those that outlast `LAST_MS`; another dispatcher repeats them. Resolves after the last write. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.unsubscribe) unsubscribe()
    this.stopping.abort(new Error('The dispatcher is stopping.'))
    this.wake()
    await this.loop
    const timer = setTimeout(() => this.giveUp(), LAST_MS)
    if (this.inFlight.length > 0) await new Promise<void>((resolve) => (this.whenIdle = resolve))
    clearTimeout(timer)
    // Without the database the leases expire.
    if (this.interrupted?.length) await giveBack(this.interrupted).catch(() => {})
    await this.outcomes.written()
    await this.agent.destroy()
  }

  private get lookMs(): number {
    return POLL_MS * Math.min(1, this.factor * 4)
  }

  /** Makes the next fetch read the due endpoints again. */
  private look(): void {
    this.queues.expect()
    this.wake()
  }

  private giveUp(): void {
    this.interrupted = []
    for (const { attempt } of [...this.inFlight]) attempt?.giveUp(new Error('The dispatcher is stopping.'))
  }

  private async work(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => (this.wake = resolve))
      const more = await this.fetch().catch(async (error: Error) => {
        log().warn({ err: error.message }, 'webhook deliveries could not be read; retrying')
        await wait(1_000, undefined, { signal: this.stopping.signal }).catch(() => {})
        return false
      })
      if (more) continue
      const timer = setTimeout(() => this.look(), this.lookMs)
      await woken
      clearTimeout(timer)
    }
    await Promise.all(this.queues.ids.map((id) => this.release(id)))
  }

  /** Gives back the waiting deliveries of an endpoint that changed, or of any endpoint on stop. */
  private async release(endpointId: string): Promise<void> {
    const left = this.queues.empty(endpointId)
    if (left.length === 0) return
    // Without the database the leases expire.
    await giveBack(left)
      .then(stopStragglers)
      .catch(() => {})
  }

  /** Leases as many deliveries as can wait here and starts attempts. Resolves with whether another fetch is worthwhile at once. */
  private async fetch(): Promise<boolean> {
    if (performance.now() > this.tidyAt) {
      this.tidyAt = performance.now() + TIDY_MS
      await stopStragglers()
    }
    this.changed.clear()
    const wanted = await this.queues.wanted()
    if (wanted.length === 0 || this.stopping.signal.aborted) return false
    const leaseMs = this.patienceMs + this.slackMs
    const until = performance.now() + this.slackMs / 2
    const got = await claimDue(wanted, leaseMs)
    this.queues.take(got, until)
    await Promise.all([...this.changed].map((id) => this.release(id)))
    this.begin()
    return got.claimed.length > 0 && this.queues.hasRoom
  }

  /** Starts attempts for waiting deliveries up to `concurrency`. */
  private begin(): void {
    while (this.inFlight.length < this.concurrency && !this.stopping.signal.aborted) {
      const next = this.queues.next()
      if (!next) return
      this.send(next.queue, next.claimed)
    }
  }

  /** Batches the starts that concurrent responses permit: a receiver on the same machine then wakes once and not for each. */
  private beginTogether(): void {
    this.beginning ??= setImmediate(() => {
      this.beginning = undefined
      this.begin()
    })
  }

  private send(queue: EndpointQueue, claimed: Claimed): void {
    const { target, secrets } = queue
    const signature = signatureHeader(secrets, Math.floor(serviceNow() / 1_000), claimed.payload)
    const sent: Sent = { queue, claimed, signature, at: this.inFlight.length }
    queue.running++
    this.inFlight.push(sent)
    const { agent, patienceMs } = this
    sent.attempt = new Attempt({ agent, target, body: claimed.payload, signature, patienceMs }, (outcome) => this.onOutcome(sent, outcome))
  }

  private onOutcome(sent: Sent, outcome: Outcome): void {
    const { queue, claimed, signature } = sent
    const last = this.inFlight.pop() as Sent
    if (last !== sent) {
      last.at = sent.at
      this.inFlight[sent.at] = last
    }
    queue.end()
    // `stop` aborted the attempt: its failure is not the receiver's.
    if (this.interrupted && outcome.problem !== undefined) this.interrupted.push(claimed)
    else {
      this.outcomes.add({ claimed, outcome, signature, endedAt: performance.now(), nextInMs: this.nextInMs(claimed, outcome) })
      if (outcome.status === 410) void this.disable(claimed.endpointId, 'gone')
    }
    if (this.inFlight.length === 0) this.whenIdle()
    this.beginTogether()
    if (this.queues.isWorthClaim(queue)) this.wake()
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
      log().warn({ err: (error as Error).message, endpointId }, 'a webhook endpoint could not be disabled; retrying at its next failure')
    }
  }
}

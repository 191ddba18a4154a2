import { setTimeout as wait } from 'node:timers/promises'
import { serviceNow } from '../../../platform/database/clock.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { LEASE_MS } from '../../../platform/leases.ts'
import type { Resolve } from '../../../platform/network/look-up-name.ts'
import { log } from '../../../platform/observe/log.ts'
import { disableEndpoint, notifyEndpointDisabled, stopStragglers } from '../endpoints/disable-endpoint.ts'
import { ATTEMPT_SEC, FAILING_DAYS } from '../endpoints/state.ts'
import { EndpointQueues } from './endpoint-queues.ts'
import { type LeasedDelivery, leaseDeliveries, returnDeliveries } from './lease.ts'
import { attemptDelay, attemptDuration, attempts } from './metrics.ts'
import type { RequestResult } from './receiver-request.ts'
import { nextAttemptMs, ResultWriter } from './record-attempts.ts'
import { RequestPool, type SentDelivery } from './request-pool.ts'

/** How many deliveries one worker sends at once. */
const CONCURRENCY = 500

/** Dispatcher settings that tests change to shorten its delays. */
export interface Pace {
  /** Multiplies all delays between attempts. */
  factor?: number
  /** Time limit of one attempt, in milliseconds. */
  patienceMs?: number
  /** Maximum number of concurrent attempts. */
  concurrency?: number
  /** Maximum number of concurrent attempts to one endpoint. */
  perEndpoint?: number
  /** Milliseconds that a lease lasts beyond an attempt. */
  slackMs?: number
  resolve?: Resolve
}

/** How often an idle dispatcher polls for due retries, in milliseconds. A notice announces new deliveries. */
const POLL_MS = 250
/** Milliseconds that attempts in flight get to end after `stop`. */
const LAST_MS = 3_000
/** A lease is renewed for an attempt plus these milliseconds, for the wait before it and the write after it. */
const SLACK_MS = 20_000
/** Milliseconds between checks for deliveries left at disabled endpoints. */
const TIDY_MS = 30_000

/**
 * Sends due deliveries (specification §6.2). Any number of processes can run one. It leases what its queues have room for (`lease.ts`),
 * hands the queues' next deliveries to the request pool, and finished attempts to the result writer; these three do not know each other.
 * Leases are renewed while the process runs; a killed process's leases expire, so no delivery is lost.
 */
export class Dispatcher {
  private readonly factor: number
  private readonly pollMs: number
  private readonly leaseMs: number
  private readonly slackMs: number
  private readonly queues: EndpointQueues
  private readonly requests: RequestPool
  private readonly results: ResultWriter
  private readonly stopping = new AbortController()
  private loop: Promise<void> | undefined
  private wake: () => void = () => {}
  private unsubscribe: (() => void)[] = []
  private beginning: NodeJS.Immediate | undefined
  private tidyAt = 0
  /** Endpoints that changed since the last lease request. Deliveries it returns for them are given back. */
  private readonly changed = new Set<string>()

  constructor({
    factor = 1,
    patienceMs = ATTEMPT_SEC * 1_000,
    concurrency = CONCURRENCY,
    perEndpoint = 50,
    slackMs = SLACK_MS,
    resolve,
  }: Pace = {}) {
    this.factor = factor
    this.pollMs = POLL_MS * Math.min(1, factor * 4)
    this.leaseMs = patienceMs + slackMs
    this.slackMs = slackMs
    this.queues = new EndpointQueues({ concurrency, perEndpoint: Math.min(perEndpoint, concurrency), pollMs: this.pollMs })
    this.requests = new RequestPool({ concurrency, patienceMs, resolve, onEnd: (sent) => this.onSent(sent) })
    this.results = new ResultWriter({
      failingMs: FAILING_DAYS * 86_400_000 * factor,
      onFailingTooLong: async (endpointIds) => {
        for (const id of endpointIds) await this.disable(id, 'failing')
      },
      stopping: this.stopping.signal,
    })
  }

  start(): void {
    this.unsubscribe = [
      notifications().on('webhook-due', () => this.poll()),
      notifications().on('webhook-receiver', (endpointId) => {
        this.queues.invalidate()
        this.changed.add(endpointId)
        void this.giveBackWaiting(endpointId)
      }),
    ]
    this.loop ??= this.run()
  }

  /** Starts no more attempts and aborts those that outlast `LAST_MS`; another dispatcher repeats them. Resolves after the last write. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.unsubscribe) unsubscribe()
    this.stopping.abort(new Error('The dispatcher is stopping.'))
    this.wake()
    await this.loop
    await this.requests.empty(LAST_MS)
    await giveBack(this.requests.abort())
    await this.results.written()
    await this.requests.close()
  }

  /** Reads the due endpoints again. */
  private poll(): void {
    this.queues.invalidate()
    this.wake()
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => (this.wake = resolve))
      const more = await this.lease().catch(async (error: Error) => {
        log().warn({ err: error.message }, 'could not read webhook deliveries; retrying')
        await wait(1_000, undefined, { signal: this.stopping.signal }).catch(() => {})
        return false
      })
      if (more) continue
      const timer = setTimeout(() => this.poll(), this.pollMs)
      await woken
      clearTimeout(timer)
    }
    await giveBack(this.queues.drainAll())
  }

  /** Leases as many deliveries as the queues have room for and starts attempts. Resolves with whether to lease again at once. */
  private async lease(): Promise<boolean> {
    if (performance.now() > this.tidyAt) {
      this.tidyAt = performance.now() + TIDY_MS
      await stopStragglers()
    }
    this.changed.clear()
    const wanted = await this.queues.leaseRequests()
    if (wanted.length === 0 || this.stopping.signal.aborted) return false
    const now = performance.now()
    const startBefore = now + this.slackMs / 2
    const leased = await leaseDeliveries(wanted, Math.min(LEASE_MS, this.leaseMs))
    for (const { deliveries } of leased) for (const { lease } of deliveries) lease.keep(now + this.leaseMs)
    this.queues.add(leased, startBefore)
    await Promise.all([...this.changed].map((id) => this.giveBackWaiting(id)))
    this.begin()
    return leased.some(({ deliveries }) => deliveries.length > 0) && this.queues.hasRoom
  }

  /** Starts attempts for waiting deliveries while the pool has room. */
  private begin(): void {
    while (this.requests.hasRoom && !this.stopping.signal.aborted) {
      const next = this.queues.begin()
      if (!next) return
      this.requests.send(next.receiver, next.delivery)
    }
  }

  /** Batches the starts that concurrent responses allow: a receiver on the same machine then wakes once, not once for each. */
  private beginTogether(): void {
    this.beginning ??= setImmediate(() => {
      this.beginning = undefined
      this.begin()
    })
  }

  private onSent({ delivery, signature, result, delays }: SentDelivery): void {
    const { endpointId } = delivery
    const leaseMore = this.queues.end(endpointId)
    const nextInMs = nextAttemptMs(delivery, result, delays, this.factor)
    this.results.add({ delivery, signature, result, endedAt: performance.now(), nextInMs })
    measure(delivery, result)
    if (result.status === 410) void this.disable(endpointId, 'gone')
    this.beginTogether()
    if (leaseMore) this.wake()
  }

  /** Gives back the waiting deliveries of a changed endpoint. */
  private giveBackWaiting(endpointId: string): Promise<void> {
    return giveBack(this.queues.drain(endpointId))
  }

  private async disable(endpointId: string, reason: 'gone' | 'failing'): Promise<void> {
    try {
      await this.giveBackWaiting(endpointId)
      const disabled = await disableEndpoint(endpointId, reason)
      if (disabled) await notifyEndpointDisabled(disabled, reason)
    } catch (error) {
      log().warn({ err: (error as Error).message, endpointId }, 'could not disable a webhook endpoint; retrying at its next failure')
    }
  }
}

function measure({ dueMs }: LeasedDelivery, { error, status, durationMs }: RequestResult): void {
  attempts.add({ result: error === undefined ? 'delivered' : status === undefined ? 'no_response' : 'refused' })
  attemptDuration.observe({}, durationMs / 1_000)
  attemptDelay.observe({}, Math.max(0, serviceNow() - durationMs - dueMs) / 1_000)
}

/** Returns unsent deliveries to their queues. */
async function giveBack(deliveries: readonly LeasedDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  try {
    await returnDeliveries(deliveries)
    await stopStragglers()
  } catch (error) {
    log().warn(
      { err: (error as Error).message },
      'could not return webhook deliveries to the queue; they are sent when their leases expire',
    )
  }
}

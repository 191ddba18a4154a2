import { setTimeout as wait } from 'node:timers/promises'
import type { Agent } from 'undici'
import { serviceNow } from '../../../platform/database/clock.ts'
import type { Resolve } from '../../../platform/network/look-up-name.ts'
import { ssrfSafeAgent } from '../../../platform/network/ssrf-safe-agent.ts'
import { endDeliverySpan, startDeliverySpan } from './delivery-span.ts'
import type { LeasedDelivery } from './lease.ts'
import { type Receiver, ReceiverRequest, type RequestResult } from './receiver-request.ts'
import { signatureHeader } from './signature.ts'

/** A request that ended. */
export interface SentDelivery {
  delivery: LeasedDelivery
  signature: string
  result: RequestResult
  /** Its endpoint's retry schedule when it was sent. */
  delays: readonly number[]
}

interface InFlight {
  delivery: LeasedDelivery
  /** Its index in `inFlight`. */
  at: number
  request?: ReceiverRequest
}

interface Options {
  /** Maximum number of requests in flight. */
  concurrency: number
  /** Time limit of a request, in milliseconds. */
  patienceMs: number
  resolve?: Resolve | undefined
  onEnd: (sent: SentDelivery) => void
}

/** The requests that a dispatcher has in flight. */
export class RequestPool {
  private readonly options: Options
  private readonly agent: Agent
  /** Unordered. Not a Set: a Set with many insertions and deletions is rehashed often, and its old tables keep deleted entries alive. */
  private inFlight: InFlight[] = []
  private onEmpty: () => void = () => {}

  constructor(options: Options) {
    this.options = options
    const { concurrency, patienceMs, resolve } = options
    // Endpoints on one host share its connections. Each endpoint has its own limit, so none blocks another.
    this.agent = ssrfSafeAgent({ connections: concurrency, patienceMs, resolve })
  }

  get hasRoom(): boolean {
    return this.inFlight.length < this.options.concurrency
  }

  /** Signs and sends a delivery; `onEnd` receives the result. */
  send({ target, secrets, delays }: Receiver, delivery: LeasedDelivery): void {
    const { patienceMs, onEnd } = this.options
    const signature = signatureHeader(secrets, Math.floor(serviceNow() / 1_000), delivery.payload)
    const entry: InFlight = { delivery, at: this.inFlight.length }
    this.inFlight.push(entry)
    const span = startDeliverySpan(delivery, target)
    const input = { agent: this.agent, target, body: delivery.payload, signature, patienceMs }
    entry.request = new ReceiverRequest(input, (result) => {
      if (span) endDeliverySpan(span, result)
      if (this.remove(entry)) onEnd({ delivery, signature, result, delays })
    })
  }

  /** Resolves once no request is in flight, or after `ms`. */
  async empty(ms: number): Promise<void> {
    if (this.inFlight.length === 0) return
    const timer = new AbortController()
    await Promise.race([
      new Promise<void>((resolve) => (this.onEmpty = resolve)),
      wait(ms, undefined, { signal: timer.signal }).catch(() => {}),
    ])
    timer.abort()
  }

  /** Aborts all requests and returns their deliveries. Does not call `onEnd` for them: the failure is not the receiver's. */
  abort(): LeasedDelivery[] {
    const aborted = this.inFlight
    this.inFlight = []
    for (const { request } of aborted) request?.abort(new Error('The dispatcher is stopping.'))
    return aborted.map(({ delivery }) => delivery)
  }

  async close(): Promise<void> {
    await this.agent.destroy()
  }

  /** Removes an entry. Returns false if `abort` already did. */
  private remove(entry: InFlight): boolean {
    if (this.inFlight[entry.at] !== entry) return false
    const last = this.inFlight.pop() as InFlight
    if (last !== entry) {
      last.at = entry.at
      this.inFlight[entry.at] = last
    }
    if (this.inFlight.length === 0) this.onEmpty()
    return true
  }
}

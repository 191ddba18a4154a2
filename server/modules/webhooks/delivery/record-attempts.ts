import { setTimeout as wait } from 'node:timers/promises'
import { LIMITS } from '../../../limits.ts'
import { log } from '../../../platform/observe/log.ts'
import { nextDelaySec } from '../endpoints/state.ts'
import { Lease, type LeasedDelivery } from './lease.ts'
import type { RequestResult, ResponseHeaders } from './receiver-request.ts'
import { callRoutine, integers } from './routine-call.ts'

/** Kept in place of the response to an event about a viewer. */
const NOT_KEPT = 'Not kept: a response to an event about a viewer can contain their ID.'

/** How many characters of a response's headers are stored. */
const KEPT_HEADERS = 4 * 1024

/**
 * Records finished attempts in one statement: the attempts, their deliveries' next state, and whether their endpoints are failing. An
 * expired lease changes nothing. Resolves with the IDs of endpoints that have been failing for `failingMs` and had a delivery die now.
 */
export const recordAttempts = (attempts: readonly Attempt[], failingMs: number): Promise<string[]> =>
  Lease.end(
    attempts.map(({ delivery }) => delivery),
    (endedLeases) => writeAttempts(attempts, failingMs, endedLeases),
  )

/** Runs the statement of `recordAttempts`. Repeating it has no effect. SQL: `record_webhook_attempts`. */
export async function writeAttempts(attempts: readonly Attempt[], failingMs: number, endedLeases: readonly string[]): Promise<string[]> {
  const outcomes = new Outcomes()
  const positions = attempts.map((attempt) => outcomes.positionOf(attempt))
  // Read before the statement, whose start is the database's "now", in whole milliseconds: however long its locks take, no next attempt is
  // early by more than one.
  const now = performance.now()
  const [row] = await callRoutine<{ result: string[] }>('record_webhook_attempts', {
    failing_ms: failingMs,
    ended_leases: endedLeases,
    texts: outcomes.texts,
    endpoints: outcomes.column('endpointId'),
    leases: outcomes.column('leaseId'),
    replays: integers(outcomes.column('replay')),
    numbers: integers(outcomes.column('number')),
    statuses: integers(outcomes.column('status')),
    header_texts: integers(outcomes.column('headers')),
    body_texts: integers(outcomes.column('body')),
    error_texts: integers(outcomes.column('error')),
    next_ms: integers(outcomes.column('nextMs')),
    deliveries: integers(attempts.map(({ delivery }) => delivery.id)),
    outcomes: integers(positions),
    ended_ms_ago: integers(attempts.map(({ endedAt }) => Math.floor(now - endedAt))),
    durations_ms: integers(attempts.map(({ result }) => result.durationMs)),
    // One text is cheaper to encode than a list, and no header contains a line break.
    signatures: attempts.map(({ signature }) => signature).join('\n'),
    event_limit: LIMITS.eventBytes.value,
  })
  return row?.result ?? []
}

/** What a batch's attempts have in common. `headers`, `body` and `error` are positions in the texts. */
interface Outcome {
  endpointId: string
  leaseId: string
  replay: number
  number: number
  status: number | undefined
  headers: number | undefined
  body: number
  error: number | undefined
  nextMs: number | undefined
}

/** A batch's distinct outcomes, since most attempts have equal ones. Positions start at 1, like PostgreSQL's arrays. */
class Outcomes {
  private readonly all: Outcome[] = []
  private readonly positions = new Map<string, number>()
  private readonly textPositions = new Map<string, number>()
  private lastHeaders: { headers: ResponseHeaders; position: number } | undefined

  positionOf({ delivery, result, nextInMs }: Attempt): number {
    const outcome: Outcome = {
      endpointId: delivery.endpointId,
      leaseId: delivery.lease.id,
      replay: delivery.replay,
      number: delivery.attemptCount + 1,
      status: result.status,
      headers: result.status && !delivery.aboutViewer ? this.headersPosition(result.headers) : undefined,
      body: this.textPosition(delivery.aboutViewer && result.status ? NOT_KEPT : result.body),
      error: result.error === undefined ? undefined : this.textPosition(result.error),
      nextMs: nextInMs === undefined ? undefined : Math.ceil(nextInMs),
    }
    const key = Object.values(outcome).join()
    const known = this.positions.get(key)
    if (known) return known
    this.positions.set(key, this.all.push(outcome))
    return this.all.length
  }

  column<Name extends keyof Outcome>(name: Name): Outcome[Name][] {
    return this.all.map((outcome) => outcome[name])
  }

  get texts(): string[] {
    return [...this.textPositions.keys()]
  }

  private textPosition(text: string): number {
    const known = this.textPositions.get(text)
    if (known) return known
    const position = this.textPositions.size + 1
    this.textPositions.set(text, position)
    return position
  }

  /** Formats headers only if they differ from the previous attempt's. */
  private headersPosition(headers: ResponseHeaders): number {
    if (!this.lastHeaders || !areSame(this.lastHeaders.headers, headers))
      this.lastHeaders = { headers, position: this.textPosition(storedHeaders(headers)) }
    return this.lastHeaders.position
  }
}

function areSame(some: ResponseHeaders, others: ResponseHeaders): boolean {
  for (const name in some) if (some[name] !== others[name]) return false
  return Object.keys(some).length === Object.keys(others).length
}

/** Returns as many headers as fit in `KEPT_HEADERS` characters, as JSON. */
function storedHeaders(headers: ResponseHeaders): string {
  const kept: [string, string][] = []
  let size = 0
  for (const [name, value] of Object.entries(headers)) {
    const text = String(value)
    size += name.length + text.length
    if (size > KEPT_HEADERS) break
    kept.push([name, text])
  }
  return JSON.stringify(Object.fromEntries(kept))
}

/** Maximum number of attempts per write, and how many milliseconds the first waits for others: each write waits for the disk. */
const BATCH = 800
const COLLECT_MS = 40
/** Milliseconds before a failed write is repeated. */
const RETRY_MS = 500

interface Options {
  /** Milliseconds of failure after which an endpoint is reported to `onFailingTooLong`. */
  failingMs: number
  /** Receives the endpoints that a write returned (`recordAttempts`). The next write waits for it. */
  onFailingTooLong: (endpointIds: string[]) => Promise<void>
  /** Once it aborts, attempts that cannot be written are dropped: another dispatcher leases their deliveries. */
  stopping: AbortSignal
}

/** Records finished attempts in batches. Repeats a failed write until the dispatcher stops. */
export class ResultWriter {
  private readonly options: Options
  private finished: Attempt[] = []
  private writing: Promise<void> | undefined

  constructor(options: Options) {
    this.options = options
  }

  add(attempt: Attempt): void {
    this.finished.push(attempt)
    this.writing ??= this.write()
  }

  /** Resolves when all added attempts are written. */
  async written(): Promise<void> {
    await this.writing
  }

  private async write(): Promise<void> {
    const { failingMs, onFailingTooLong, stopping } = this.options
    while (this.finished.length > 0) {
      if (this.finished.length < BATCH) await wait(COLLECT_MS)
      const batch = this.finished.splice(0, BATCH)
      try {
        await onFailingTooLong(await recordAttempts(batch, failingMs))
      } catch (error) {
        if (stopping.aborted) break
        log().warn({ err: (error as Error).message }, 'could not record webhook attempts; retrying')
        this.finished.unshift(...batch)
        await wait(RETRY_MS)
      }
    }
    this.writing = undefined
  }
}

/** A finished attempt: a delivery's HTTP request and its result. */
export interface Attempt {
  delivery: LeasedDelivery
  /** Value of the `X-Service-Signature` header. */
  signature: string
  result: RequestResult
  /** `performance.now()` at its end: delays count from here, not from the write. */
  endedAt: number
  /** Milliseconds from its end to the next attempt. Undefined if there is none. */
  nextInMs: number | undefined
}

/**
 * Returns the milliseconds until the next attempt of the schedule `delays` (seconds), each delay multiplied by `factor`. Undefined if there
 * is none.
 */
export function nextAttemptMs(
  { attemptCount }: LeasedDelivery,
  { error, status, retryAfterSec }: RequestResult,
  delays: readonly number[],
  factor: number,
): number | undefined {
  if (error === undefined || status === 410) return undefined
  const delay = nextDelaySec(delays, attemptCount + 1, retryAfterSec)
  return delay === undefined ? undefined : delay * 1_000 * factor
}

import { nextDelaySec } from '../endpoints/state.ts'
import type { LeasedDelivery } from './lease.ts'
import type { RequestResult } from './receiver-request.ts'

/** A finished attempt: one HTTP request of a delivery and its result. */
export interface Attempt {
  delivery: LeasedDelivery
  /** Value of the header `X-Service-Signature`. */
  signature: string
  result: RequestResult
  /** `performance.now()` at its end: delays count from here, not from the write. */
  endedAt: number
  /** Milliseconds from its end to the next attempt; undefined when there is none. */
  nextInMs: number | undefined
}

/**
 * Returns the milliseconds until the next attempt of the schedule `delays` (seconds), each delay multiplied by `factor`; undefined when
 * there is none.
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

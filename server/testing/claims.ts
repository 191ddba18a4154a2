import type { Outcome } from '../modules/webhooks/attempt.ts'
import { type Claimed, claimDue } from '../modules/webhooks/lease.ts'
import type { Ended } from '../modules/webhooks/record-attempts.ts'

/** Leases deliveries of one endpoint, for a minute. */
export const claim = async (endpointId: string, room: number, leaseMs = 60_000): Promise<Claimed[]> =>
  (await claimDue([{ endpointId, room }], leaseMs)).claimed

/** Returns an attempt that has just ended: with a problem it failed, and is retried in a second. */
export function ended(claimed: Claimed, problem?: string): Ended {
  const outcome: Outcome = { problem, status: problem ? 500 : 200, headers: {}, body: '', durationMs: 1, retryAfterSec: undefined }
  return { claimed, outcome, signature: 't=1,v1=0', endedAt: performance.now(), nextInMs: problem ? 1_000 : undefined }
}

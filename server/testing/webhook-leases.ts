import { type LeasedDelivery, leaseDeliveries } from '../modules/webhooks/delivery/lease.ts'
import type { Attempt } from '../modules/webhooks/delivery/record-attempts.ts'

/** Leases deliveries of one endpoint, for a minute. */
export const lease = async (endpointId: string, limit: number, leaseMs = 60_000): Promise<LeasedDelivery[]> =>
  (await leaseDeliveries([{ endpointId, limit }], leaseMs)).flatMap(({ deliveries }) => deliveries)

/** Returns an attempt that has just ended: with an error it failed, and is retried in a second. */
export function finished(delivery: LeasedDelivery, error?: string): Attempt {
  const result = { error, status: error ? 500 : 200, headers: {}, body: '', durationMs: 1, retryAfterSec: undefined }
  return { delivery, result, signature: 't=1,v1=0', endedAt: performance.now(), nextInMs: error ? 1_000 : undefined }
}

import { log } from '../../platform/log.ts'
import type { Lease, Leased } from './lease.ts'
import { callRoutine } from './routine-call.ts'

/** Milliseconds after which the leases of a killed dispatcher expire; four renewals, as for tasks of videos. */
export const LEASE_MS = 10_000
const RENEW_MS = LEASE_MS / 4

/** Renews the leases of a dispatcher while they have unfinished deliveries, each up to a fixed end. */
export class LeaseKeeper {
  /** Each lease with its end by `performance.now()`: from then on another dispatcher may send what is left of it. */
  private readonly leases = new Map<Lease, number>()
  private timer: NodeJS.Timeout | undefined

  start(): void {
    this.timer ??= setInterval(() => void this.renew(), RENEW_MS)
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /** Renews the leases of these deliveries until `endsAt` (`performance.now()`). */
  add(leased: readonly Leased[], endsAt: number): void {
    for (const { deliveries } of leased) for (const { lease } of deliveries) this.leases.set(lease, endsAt)
  }

  /** Renews every lease once. A failed renewal is repeated with the next one. SQL: `renew_webhook_leases`. */
  async renew(): Promise<void> {
    const now = performance.now()
    for (const [lease, endsAt] of this.leases) if (!lease.isOpen || endsAt <= now) this.leases.delete(lease)
    if (this.leases.size === 0) return
    await callRoutine('renew_webhook_leases', {
      leases: [...this.leases.keys()].map(({ id }) => id),
      lease_ms: [...this.leases.values()].map((endsAt) => Math.min(LEASE_MS, endsAt - now)),
    }).catch((error: Error) => log().debug({ err: error.message }, 'webhook leases could not be renewed'))
  }
}

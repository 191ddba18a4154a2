import { env } from '../../platform/config.ts'
import type { Tier } from '../../platform/prisma/enums.ts'

/** The accounts whose videos a worker transcodes. */
export interface WorkerPins {
  tiers: readonly Tier[]
  /** Ids; undefined for all accounts of these tiers. */
  accounts?: readonly string[]
}

/** Returns the accounts that this worker is pinned to (`WORKER_TIERS`, `WORKER_ACCOUNTS`). */
export function workerPins(): WorkerPins {
  const { WORKER_TIERS, WORKER_ACCOUNTS } = env()
  const tiers = WORKER_TIERS.map((tier): Tier => (tier === 'paid' ? 'PAID' : 'FREE'))
  return WORKER_ACCOUNTS.length > 0 ? { tiers, accounts: WORKER_ACCOUNTS } : { tiers }
}

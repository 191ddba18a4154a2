import { env } from '../../../platform/config/config.ts'
import type { Tier } from '../../../platform/prisma/enums.ts'

const TIERS: readonly Tier[] = ['PAID', 'FREE']

/** The accounts whose videos a worker transcodes. */
export interface WorkerPins {
  tiers: readonly Tier[]
  /** IDs. Undefined for all accounts of these tiers. */
  accounts?: readonly string[]
}

/** Returns the accounts that this worker is pinned to (`WORKER_ACCOUNTS`). */
export function workerPins(): WorkerPins {
  const { WORKER_ACCOUNTS } = env()
  const tiers = TIERS.filter((tier) => WORKER_ACCOUNTS.includes(tier.toLowerCase()))
  return tiers.length > 0 ? { tiers } : { tiers: TIERS, accounts: WORKER_ACCOUNTS }
}

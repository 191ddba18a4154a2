import { env } from '../../platform/config.ts'
import type { Tier } from '../../platform/prisma/enums.ts'

/** Returns the tiers of the accounts whose videos this worker transcodes (`WORKER_TIERS`). */
export const workerTiers = (): Tier[] => env().WORKER_TIERS.map((tier) => (tier === 'paid' ? 'PAID' : 'FREE'))

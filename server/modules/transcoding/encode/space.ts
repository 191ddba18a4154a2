import { env } from '../../../platform/config/config.ts'
import { lowestFreeBytes } from '../../../platform/files/disk-space.ts'

const CHECK_MS = 1_000

/**
 * Aborts an attempt through `signal` when half of the reserve is used: the rest is for the database. The reason is an ENOSPC error.
 */
export class SpaceGuard {
  private readonly aborter = new AbortController()
  private readonly least = env().STORAGE_RESERVE_BYTES / 2
  private readonly timer = setInterval(() => void this.check(), CHECK_MS)

  get signal(): AbortSignal {
    return this.aborter.signal
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private async check(): Promise<void> {
    // A volume that cannot be read does not count as full; the attempt meets the fault itself.
    const free = await lowestFreeBytes().catch(() => Number.POSITIVE_INFINITY)
    if (free < this.least) this.aborter.abort(Object.assign(new Error('less free space than STORAGE_RESERVE_BYTES'), { code: 'ENOSPC' }))
  }
}

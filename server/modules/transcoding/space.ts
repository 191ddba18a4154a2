import { setTimeout as wait } from 'node:timers/promises'
import { env } from '../../platform/config.ts'
import { isLow, leastFree } from '../../platform/disk-space.ts'
import { log } from '../../platform/log.ts'

const LOOK_MS = 1_000

/**
 * Resolves once every volume has its reserve free. A video waits here as PENDING and costs no try; other videos would meet the same volumes,
 * so the place of the worker is kept. Rejects when `signal` aborts.
 */
export async function waitForSpace(signal: AbortSignal): Promise<void> {
  for (let said = false; await isLow(); said = true) {
    if (!said) log().warn('transcoding waits: a volume of DATA_DIR has less free than STORAGE_RESERVE_BYTES')
    await wait(LOOK_MS, undefined, { signal })
  }
}

/** Ends a try, by its `signal`, that has used up half of the reserve: the rest is for the database. The reason is an ENOSPC error. */
export class SpaceGuard {
  private readonly aborter = new AbortController()
  private readonly timer = setInterval(() => void this.look(), LOOK_MS)

  get signal(): AbortSignal {
    return this.aborter.signal
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private async look(): Promise<void> {
    // A volume that cannot be asked is no full one; the try itself meets what is wrong with it.
    const free = await leastFree().catch(() => Number.POSITIVE_INFINITY)
    if (free < env().STORAGE_RESERVE_BYTES / 2) this.aborter.abort(Object.assign(new Error('the reserve is used up'), { code: 'ENOSPC' }))
  }
}

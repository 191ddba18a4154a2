import { setTimeout as wait } from 'node:timers/promises'
import { env } from '../../../platform/config/config.ts'
import { services } from '../../../platform/container.ts'
import { lowestFreeBytes } from '../../../platform/files/disk-space.ts'
import { RENEW_MS } from '../../../platform/leases.ts'
import { log } from '../../../platform/observe/log.ts'
import { processRegistry } from '../../../platform/process-registry.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { checkWritable } from '../encode/work-folder.ts'
import { isDiskFull } from '../faults.ts'

const CHECK_MS = 1_000
/** Delay after a failed query before this worker takes a video: owners of leases that ended in the meantime renew them first. */
const QUIET_MS = 2 * RENEW_MS
/** How long a response of the media storage counts: each check is a request that a provider may charge for. */
const STORAGE_CHECK_MS = 10_000
/** Range of free bytes that a worker needs after an attempt failed for lack of space. */
const MIN_ROOM = 1024 ** 2
const MAX_ROOM = 1024 ** 3

declare module '../../../platform/container.ts' {
  interface Services {
    intake: Intake
  }
}

/** Decides when this process takes videos: its disks must have room, and the database must have responded for a moment. */
export const intake = () => services().intake

export class Intake {
  private databaseFailedAt = Number.NEGATIVE_INFINITY
  /** Free bytes that every volume must have since a disk failed an attempt. */
  private room: number | undefined
  private why: string | undefined
  /** When the media storage last responded. */
  private storageCheckedAt = Number.NEGATIVE_INFINITY

  /** Why this worker takes no videos, for the operator. Undefined while it takes them. */
  get paused(): string | undefined {
    return this.why
  }

  /** Notes that the media storage failed an attempt. */
  storageFailed(): void {
    this.storageCheckedAt = Number.NEGATIVE_INFINITY
  }

  /** Notes that a query failed because the database did not respond. */
  databaseFailed(): void {
    this.databaseFailedAt = performance.now()
  }

  /** Pauses after a disk failed an attempt whose files are removed: if it was full, the space that is now free was not enough. */
  async diskFailed(error: unknown): Promise<void> {
    const free = isDiskFull(error) ? await lowestFreeBytes().catch(() => 0) : 0
    this.room = Math.min(Math.max(2 * free, MIN_ROOM), MAX_ROOM)
    this.note(await this.fault())
  }

  /** Resolves once this worker may take a video. Rejects if `signal` aborts. */
  async opened(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      this.note(await this.fault())
      const quietMs = this.databaseFailedAt + QUIET_MS - performance.now()
      if (!this.why && quietMs <= 0) return
      await wait(this.why ? CHECK_MS : quietMs, undefined, { signal })
    }
  }

  private async fault(): Promise<string | undefined> {
    try {
      if (this.room !== undefined) await checkWritable()
      if ((await lowestFreeBytes()) < Math.max(env().STORAGE_RESERVE_BYTES, this.room ?? 0))
        return 'a volume of DATA_DIR is low on free space'
    } catch (error) {
      return `DATA_DIR cannot be used (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`
    }
    this.room = undefined
    return this.storageFault()
  }

  private async storageFault(): Promise<string | undefined> {
    if (performance.now() < this.storageCheckedAt + STORAGE_CHECK_MS) return undefined
    try {
      await storage().check()
      this.storageCheckedAt = performance.now()
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  private note(why: string | undefined): void {
    if (why === this.why) return
    this.why = why
    processRegistry().setFault(why)
    if (why) log().warn(`transcoding is paused: ${why}`)
    else log().warn('transcoding continues')
  }
}

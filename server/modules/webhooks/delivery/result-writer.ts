import { setTimeout as wait } from 'node:timers/promises'
import { log } from '../../../platform/observe/log.ts'
import type { Attempt } from './attempt.ts'
import { recordAttempts } from './record-attempts.ts'

/** Maximum of attempts in one write, and the milliseconds that the first waits for others: each write waits for the disk. */
const BATCH = 800
const COLLECT_MS = 40
/** Milliseconds between a failed write and its repetition. */
const RETRY_MS = 500

interface Options {
  /** Milliseconds of failure after which an endpoint is reported to `onFailingTooLong`. */
  failingMs: number
  /** Receives the endpoints that a write returned (`recordAttempts`); the next write waits for it. */
  onFailingTooLong: (endpointIds: string[]) => Promise<void>
  /** After its abort, attempts that cannot be written are dropped: another dispatcher leases their deliveries. */
  stopping: AbortSignal
}

/** Records finished attempts in batches; a failed write is repeated until the dispatcher stops. */
export class ResultWriter {
  private readonly options: Options
  private finished: Attempt[] = []
  private writing: Promise<void> | undefined

  constructor(options: Options) {
    this.options = options
  }

  add(attempt: Attempt): void {
    this.finished.push(attempt)
    this.writing ??= this.write()
  }

  /** Resolves when all added attempts are written. */
  async written(): Promise<void> {
    await this.writing
  }

  private async write(): Promise<void> {
    const { failingMs, onFailingTooLong, stopping } = this.options
    while (this.finished.length > 0) {
      if (this.finished.length < BATCH) await wait(COLLECT_MS)
      const batch = this.finished.splice(0, BATCH)
      try {
        await onFailingTooLong(await recordAttempts(batch, failingMs))
      } catch (error) {
        if (stopping.aborted) break
        log().warn({ err: (error as Error).message }, 'webhook attempts could not be recorded; trying again')
        this.finished.unshift(...batch)
        await wait(RETRY_MS)
      }
    }
    this.writing = undefined
  }
}

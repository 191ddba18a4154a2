import { setTimeout as wait } from 'node:timers/promises'
import { log } from '../../platform/log.ts'
import { type Ended, recordAttempts } from './record-attempts.ts'

/** Maximum of outcomes in one write, and the milliseconds that the first waits for others: each write waits for the disk. */
const BATCH = 800
const GATHER_MS = 40
/** Milliseconds between a failed write and the next one. */
const RETRY_MS = 500

interface Options {
  /** An endpoint that has failed for these milliseconds is disabled with `giveUp`. */
  failingMs: number
  giveUp: (endpointId: string) => Promise<void>
  /** After its abort, outcomes that cannot be written are dropped: another dispatcher leases their deliveries. */
  stopping: AbortSignal
}

/** Writes the outcomes of attempts in batches; a failed write is repeated until the dispatcher stops. */
export class Outcomes {
  private readonly options: Options
  private ended: Ended[] = []
  private writing: Promise<void> | undefined

  constructor(options: Options) {
    this.options = options
  }

  add(one: Ended): void {
    this.ended.push(one)
    this.writing ??= this.write()
  }

  /** Resolves when all added outcomes are written. */
  async written(): Promise<void> {
    await this.writing
  }

  private async write(): Promise<void> {
    const { failingMs, giveUp, stopping } = this.options
    while (this.ended.length > 0) {
      if (this.ended.length < BATCH) await wait(GATHER_MS)
      const batch = this.ended.splice(0, BATCH)
      try {
        for (const id of await recordAttempts(batch, failingMs)) await giveUp(id)
      } catch (error) {
        if (stopping.aborted) break
        log().warn({ err: (error as Error).message }, 'the results of webhook deliveries could not be written; retrying')
        this.ended.unshift(...batch)
        await wait(RETRY_MS)
      }
    }
    this.writing = undefined
  }
}

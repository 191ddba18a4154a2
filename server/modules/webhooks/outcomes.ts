import { setTimeout as wait } from 'node:timers/promises'
import { log } from '../../platform/log.ts'
import { type Ended, recordAttempts } from './record-attempts.ts'

/** Outcomes written at once, and how long the first of them waits for others: each writing waits for the disk. */
const BATCH = 800
const GATHER_MS = 40
/** Without the database the next try is so much later. */
const AGAIN_MS = 500

interface Options {
  /** An endpoint that has failed for so long, in milliseconds, is given up. */
  failingMs: number
  giveUp: (endpointId: string) => Promise<void>
  /** Once aborted, what cannot be written is left to whoever claims it next. */
  leaving: AbortSignal
}

/** Writes what attempts came to; what ends during one writing is written by the next, all at once. Without the database it is kept and tried again. */
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

  /** Resolves when all that was added is written. */
  async written(): Promise<void> {
    await this.writing
  }

  private async write(): Promise<void> {
    const { failingMs, giveUp, leaving } = this.options
    while (this.ended.length > 0) {
      if (this.ended.length < BATCH) await wait(GATHER_MS)
      const batch = this.ended.splice(0, BATCH)
      try {
        for (const id of await recordAttempts(batch, failingMs)) await giveUp(id)
      } catch (error) {
        if (leaving.aborted) break
        log().warn({ err: (error as Error).message }, 'the outcome of webhook deliveries could not be written; trying again')
        this.ended.unshift(...batch)
        await wait(AGAIN_MS)
      }
    }
    this.writing = undefined
  }
}

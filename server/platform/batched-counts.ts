import { log } from './observe/log.ts'

interface Ways<Batch> {
  /** Milliseconds between writes. */
  everyMs: number
  /** Maximum number of batches that wait for another try. The oldest one beyond it is dropped, which limits memory during a long outage. */
  mostUnwritten: number
  write: (batch: Batch) => Promise<unknown>
  /** Logged when a write fails. */
  fault: string
}

/** Collects counts in memory and writes them at intervals and on shutdown. Retries batches whose write failed. */
export abstract class BatchedCounts<Batch> {
  private readonly ways: Ways<Batch>
  private readonly unwritten: Batch[] = []
  private timer: NodeJS.Timeout | undefined
  private flushing: Promise<void> = Promise.resolve()
  private isWriting = false

  constructor(ways: Ways<Batch>) {
    this.ways = ways
  }

  /** Returns what was counted since the last call. Undefined if nothing was. */
  protected abstract take(): Batch | undefined

  start(): void {
    this.timer ??= setInterval(() => this.isWriting || void this.flush(), this.ways.everyMs).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    this.timer = undefined
    await this.flush()
  }

  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write())
    return this.flushing
  }

  private async write(): Promise<void> {
    const { unwritten, ways } = this
    const taken = this.take()
    if (taken) unwritten.push(taken)
    this.isWriting = true
    try {
      for (let batch = unwritten[0]; batch; batch = unwritten[0]) {
        await ways.write(batch)
        unwritten.shift()
      }
    } catch (error) {
      log().warn({ err: (error as Error).message }, ways.fault)
      while (unwritten.length > ways.mostUnwritten) unwritten.shift()
    } finally {
      this.isWriting = false
    }
  }
}

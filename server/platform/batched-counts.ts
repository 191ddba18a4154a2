import { log } from './observe/log.ts'

interface Ways<Batch> {
  /** Milliseconds between writes. */
  everyMs: number
  /** Maximum number of batches that wait for another try. More are dropped, which limits memory during a long outage. */
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
      // A batch that always fails must not hold back the others. During an outage, two batches fail and the rest wait.
      let failures = 0
      for (let left = unwritten.length; left > 0 && failures < 2; left--) failures += (await this.writeFirst()) ? 0 : 1
      while (failures > 0 && unwritten.length > ways.mostUnwritten) unwritten.shift()
    } finally {
      this.isWriting = false
    }
  }

  /** Writes the batch that has waited longest. Returns false, and keeps the batch behind the others, if that fails. */
  private async writeFirst(): Promise<boolean> {
    const batch = this.unwritten[0] as Batch
    try {
      await this.ways.write(batch)
      this.unwritten.shift()
      return true
    } catch (error) {
      log().warn({ err: (error as Error).message }, this.ways.fault)
      this.unwritten.push(...this.unwritten.splice(0, 1))
      return false
    }
  }
}

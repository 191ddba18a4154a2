import { randomUUID } from 'node:crypto'
import { services } from '../../platform/container.ts'
import { log } from '../../platform/log.ts'
import { getOrCreate } from './counters.ts'
import type { Delivered, DeliveredBatch } from './delivered-batch.ts'
import { flushDelivered } from './flush-delivered.ts'

const FLUSH_MS = 5_000
/** Maximum of unwritten batches; beyond it the oldest is dropped, which bounds the memory during a long outage. */
const MOST_UNWRITTEN = 60

/**
 * Counts the bytes of delivered segments in memory and writes them every five seconds and on shutdown. What a segment belongs to is looked up
 * when they are written: sending one costs two look-ups in maps. A killed process loses what it counted since the last write.
 */
export class DeliveredBytes {
  private media: DeliveredBatch['media'] = new Map()
  private unwritten: DeliveredBatch[] = []
  private timer: NodeJS.Timeout | undefined
  private flushing: Promise<void> = Promise.resolve()

  /** Counts bytes of a segment that were sent. */
  sent(mediaId: string, file: string, bytes: number): void {
    this.of(mediaId, file).bytes += bytes
  }

  /** Counts a redirection to a segment in the bucket, which sends all of it. */
  redirected(mediaId: string, file: string): void {
    this.of(mediaId, file).redirections++
  }

  start(): void {
    this.timer ??= setInterval(() => void this.flush(), FLUSH_MS).unref()
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

  private of(mediaId: string, file: string): Delivered {
    const files = getOrCreate(this.media, mediaId, () => new Map<string, Delivered>())
    return getOrCreate(files, file, () => ({ bytes: 0, redirections: 0 }))
  }

  private async write(): Promise<void> {
    if (this.media.size > 0) {
      this.unwritten.push({ id: randomUUID(), media: this.media, endedAt: performance.now() })
      this.media = new Map()
    }
    try {
      for (let batch = this.unwritten[0]; batch; batch = this.unwritten[0]) {
        await flushDelivered(batch)
        this.unwritten.shift()
      }
    } catch (error) {
      log().warn({ err: (error as Error).message }, 'counts of delivered bytes could not be written; retrying in the next flush')
      while (this.unwritten.length > MOST_UNWRITTEN) this.unwritten.shift()
    }
  }
}

declare module '../../platform/container.ts' {
  interface Services {
    deliveredBytes: DeliveredBytes
  }
}

export const deliveredBytes = () => services().deliveredBytes

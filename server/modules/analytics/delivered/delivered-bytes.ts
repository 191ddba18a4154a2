import { randomUUID } from 'node:crypto'
import { services } from '../../../platform/container.ts'
import { BatchedCounts } from '../batched-counts.ts'
import { getOrCreate } from '../requests/counters.ts'
import type { Delivered, DeliveredBatch } from './delivered-batch.ts'
import { flushDelivered } from './flush-delivered.ts'

/**
 * Counts the bytes of delivered segments in memory and writes them every five seconds and on shutdown. What a segment belongs to is looked up
 * when they are written: sending one costs two look-ups in maps. A killed process loses what it counted since the last write.
 */
export class DeliveredBytes extends BatchedCounts<DeliveredBatch> {
  private media: DeliveredBatch['media'] = new Map()

  constructor() {
    super({ everyMs: 5_000, mostUnwritten: 60, write: flushDelivered, fault: 'counts of delivered bytes could not be written' })
  }

  /** Counts bytes of a segment that were sent. */
  sent(mediaId: string, file: string, bytes: number): void {
    this.of(mediaId, file).bytes += bytes
  }

  /** Counts a redirection to a segment in the bucket, which sends all of it. */
  redirected(mediaId: string, file: string): void {
    this.of(mediaId, file).redirections++
  }

  private of(mediaId: string, file: string): Delivered {
    const files = getOrCreate(this.media, mediaId, () => new Map<string, Delivered>())
    return getOrCreate(files, file, () => ({ bytes: 0, redirections: 0 }))
  }

  protected take(): DeliveredBatch | undefined {
    const { media } = this
    if (media.size === 0) return undefined
    this.media = new Map()
    return { id: randomUUID(), media, endedAt: performance.now() }
  }
}

declare module '../../../platform/container.ts' {
  interface Services {
    deliveredBytes: DeliveredBytes
  }
}

export const deliveredBytes = () => services().deliveredBytes

import { randomUUID } from 'node:crypto'
import { services } from '../../platform/container.ts'
import { log } from '../../platform/log.ts'
import { getOrCreate } from './counters.ts'
import { flushViewings } from './flush-viewings.ts'
import { FACTS, type Group, type ViewerFacts, type ViewingBatch, type ViewingNews } from './viewing-batch.ts'
import { RETENTION_PARTS } from './viewing-schema.ts'

const FLUSH_MS = 1_000
/** Maximum of unwritten batches; beyond it the oldest is dropped, which bounds the memory during a long outage. */
const MOST_UNWRITTEN = 600

/**
 * Collects viewing reports in memory and writes them once a second and on shutdown, in one statement. A batch whose write failed is written
 * again. A killed process loses at most the last second.
 */
export class ViewingCounts {
  private groups = new Map<string, Group>()
  private unwritten: ViewingBatch[] = []
  private timer: NodeJS.Timeout | undefined
  private flushing: Promise<void> = Promise.resolve()
  private isWriting = false

  /** `id` names the viewing across processes. */
  add(viewing: { id: string; videoId: string; reference: string }, facts: ViewerFacts, news: ViewingNews): void {
    const { videoId, reference } = viewing
    const { sums, starts, watched } = getOrCreate(this.groups, `${videoId} ${reference}`, () => emptyGroup(videoId, reference))
    sums.watchMs += news.watchMs
    sums.rebufferMs += news.rebufferMs
    sums.rebuffers += news.rebuffers
    sums.errors += news.errors
    for (const [at, count] of news.retention.entries()) sums.retention[at] = (sums.retention[at] as number) + count
    if (news.startup !== undefined) starts.push({ id: viewing.id, bucket: news.startup, ...facts })
    const note = (dimension: string, value: string, ms: number) => {
      if (ms <= 0) return
      const byValue = getOrCreate(watched, dimension, () => new Map<string, number>())
      byValue.set(value, (byValue.get(value) ?? 0) + ms)
    }
    for (const dimension of FACTS) note(dimension, facts[dimension], news.watchMs)
    for (const [height, ms] of news.heights) note('quality', String(height), ms)
  }

  start(): void {
    this.timer ??= setInterval(() => this.isWriting || void this.flush(), FLUSH_MS).unref()
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
    if (this.groups.size > 0) {
      this.unwritten.push({ id: randomUUID(), groups: [...this.groups.values()], endedAt: performance.now() })
      this.groups = new Map()
    }
    this.isWriting = true
    try {
      for (let batch = this.unwritten[0]; batch; batch = this.unwritten[0]) {
        await flushViewings(batch)
        this.unwritten.shift()
      }
    } catch (error) {
      log().warn({ err: (error as Error).message }, 'viewing reports could not be written; retrying in the next flush')
      while (this.unwritten.length > MOST_UNWRITTEN) this.unwritten.shift()
    } finally {
      this.isWriting = false
    }
  }
}

function emptyGroup(videoId: string, reference: string): Group {
  const sums = { watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, retention: new Array<number>(RETENTION_PARTS).fill(0) }
  return { videoId, reference, sums, starts: [], watched: new Map() }
}

declare module '../../platform/container.ts' {
  interface Services {
    viewingCounts: ViewingCounts
  }
}

export const viewingCounts = () => services().viewingCounts

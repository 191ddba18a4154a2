import { randomUUID } from 'node:crypto'
import { services } from '../../../platform/container.ts'
import { BatchedCounts } from '../batched-counts.ts'
import { getOrCreate } from '../requests/counters.ts'
import { flushViewings } from './flush-viewings.ts'
import { UNKNOWN } from './viewer-limits.ts'
import { FACTS, type Group, type ViewerFacts, type ViewingBatch, type ViewingNews } from './viewing-batch.ts'
import { RETENTION_PARTS } from './viewing-schema.ts'

/**
 * Collects viewing reports in memory and writes them once a second and on shutdown, in one statement. Retries a batch whose write failed. A
 * killed process loses at most the last second.
 */
export class ViewingCounts extends BatchedCounts<ViewingBatch> {
  private groups = new Map<string, Group>()

  constructor() {
    super({ everyMs: 1_000, mostUnwritten: 600, write: flushViewings, fault: 'could not write viewing reports' })
  }

  /** `id` names the viewing across processes. */
  add(viewing: { id: string; videoId: string; reference: string }, facts: ViewerFacts, news: ViewingNews): void {
    const { videoId, reference } = viewing
    const { sums, starts, failures, watched } = getOrCreate(this.groups, `${videoId} ${reference}`, () => emptyGroup(videoId, reference))
    sums.watchMs += news.watchMs
    sums.rebufferMs += news.rebufferMs
    sums.rebuffers += news.rebuffers
    sums.errors += news.errors
    const kind = news.errorKind ?? UNKNOWN
    if (news.errors > 0) failures.set(kind, (failures.get(kind) ?? 0) + news.errors)
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

  protected take(): ViewingBatch | undefined {
    const { groups } = this
    if (groups.size === 0) return undefined
    this.groups = new Map()
    return { id: randomUUID(), groups: [...groups.values()], endedAt: performance.now() }
  }
}

function emptyGroup(videoId: string, reference: string): Group {
  const sums = { watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, retention: new Array<number>(RETENTION_PARTS).fill(0) }
  return { videoId, reference, sums, starts: [], failures: new Map(), watched: new Map() }
}

declare module '../../../platform/container.ts' {
  interface Services {
    viewingCounts: ViewingCounts
  }
}

export const viewingCounts = () => services().viewingCounts

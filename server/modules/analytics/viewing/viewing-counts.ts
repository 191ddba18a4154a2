import { randomUUID } from 'node:crypto'
import { BatchedCounts } from '../../../platform/batched-counts.ts'
import { services } from '../../../platform/container.ts'
import { getOrCreate } from '../requests/counters.ts'
import { flushViewings } from './flush-viewings.ts'
import { REACHED_PARTS, UNKNOWN } from './viewer-limits.ts'
import { FACTS, type Group, type Seen, type ViewerFacts, type ViewingBatch, type ViewingNews } from './viewing-batch.ts'
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
    const { sums, starts, seen } = getOrCreate(this.groups, `${videoId} ${reference}`, () => emptyGroup(videoId, reference))
    sums.watchMs += news.watchMs
    sums.rebufferMs += news.rebufferMs
    sums.rebuffers += news.rebuffers
    sums.errors += news.errors
    for (const [at, count] of news.retention.entries()) sums.retention[at] = (sums.retention[at] as number) + count
    if (news.startup !== undefined) starts.push({ id: viewing.id, bucket: news.startup, ...facts })
    const reached = REACHED_PARTS.map(({ part }) => news.retention[part] as number)
    if (news.watchMs === 0 && news.rebufferMs === 0 && news.errors === 0 && !reached.some(Boolean)) return
    const own = getOrCreate(seen, FACTS.map((dimension) => facts[dimension]).join('\n'), () => nothingSeen(facts))
    own.watchMs += news.watchMs
    own.rebufferMs += news.rebufferMs
    if (news.errors > 0) addTo(own.failures, news.errorKind ?? UNKNOWN, news.errors)
    for (const [at, count] of reached.entries()) own.reached[at] = (own.reached[at] as number) + count
    for (const [height, ms] of news.heights) if (ms > 0) addTo(own.heights, String(height), ms)
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
  return { videoId, reference, sums, starts: [], seen: new Map() }
}

function nothingSeen(facts: ViewerFacts): Seen {
  return { facts, watchMs: 0, rebufferMs: 0, failures: new Map(), reached: REACHED_PARTS.map(() => 0), heights: new Map() }
}

const addTo = (counts: Map<string, number>, name: string, more: number) => counts.set(name, (counts.get(name) ?? 0) + more)

declare module '../../../platform/container.ts' {
  interface Services {
    viewingCounts: ViewingCounts
  }
}

export const viewingCounts = () => services().viewingCounts

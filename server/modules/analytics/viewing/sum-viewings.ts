import { getOrCreate } from '../requests/counters.ts'
import { OTHER, UNKNOWN } from './viewer-limits.ts'
import { Pairs } from './viewer-pairs.ts'
import { FACTS, type ViewingBatch } from './viewing-batch.ts'
import { RETENTION_PARTS, STARTUP_BOUNDS } from './viewing-schema.ts'

/** What the database says about a video whose reports count. */
export interface CountedVideo {
  accountId: string
  /** Names of its renditions by frame height. */
  qualities: Readonly<Record<string, string>>
}

/** A row of `view_day`. */
export interface DaySums {
  video_id: string
  account_id: string
  plays: number
  watch_ms: number
  rebuffer_ms: number
  rebuffers: number
  errors: number
  startup: number[]
  retention: number[]
}

/** Counts of the viewers with one value of a dimension. Of a video, only plays and watch time are stored. */
interface CellCounts {
  plays: number
  watch_ms: number
  rebuffer_ms: number
  errors: number
  /** Plays by start-up time. Empty without a play. */
  startup: number[]
  /** Viewings that reached each of `REACHED_PARTS`. Empty if none did. */
  reached: number[]
}

/** A row of `viewer_day` or `account_viewer_day`. */
export interface Cell extends CellCounts {
  owner: string
  dimension: string
  value: string
}

/** One owner's sums, by dimension and value. */
export class Cells {
  private readonly cells = new Map<string, Cell>()

  add(owner: string, dimension: string, value: string, counts: Partial<CellCounts>): void {
    const cell = getOrCreate(this.cells, `${owner} ${dimension} ${value}`, () => ({ owner, dimension, value, ...emptyCounts() }))
    cell.plays += counts.plays ?? 0
    cell.watch_ms += counts.watch_ms ?? 0
    cell.rebuffer_ms += counts.rebuffer_ms ?? 0
    cell.errors += counts.errors ?? 0
    addTo(cell.startup, counts.startup)
    addTo(cell.reached, counts.reached)
  }

  /** In the order in which every process writes them. */
  rows(): Cell[] {
    return [...this.cells].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cell]) => cell)
  }

  /** Returns the sums, with the referrers that `isOther` accepts combined. */
  fold(isOther: (cell: Cell) => boolean): Cells {
    const folded = new Cells()
    for (const cell of this.rows()) folded.add(cell.owner, cell.dimension, isOther(cell) ? OTHER : cell.value, cell)
    return folded
  }
}

export interface ViewingSums {
  days: DaySums[]
  videos: Cells
  accounts: Cells
  pairs: Pairs
}

/**
 * Sums a batch by video and by account. `videos`: those that count, by ID. `fresh`: IDs of the viewings that start with this batch.
 * `isTest`: whether a token of this account and reference belongs to a test key.
 */
export function sumViewings({ groups }: Pick<ViewingBatch, 'groups'>, { videos, fresh, isTest }: Known): ViewingSums {
  const days = new Map<string, DaySums>()
  const sums = { videos: new Cells(), accounts: new Cells(), pairs: new Pairs() }
  const unseen = new Set(fresh)
  for (const { videoId, reference, sums: said, starts, seen } of groups) {
    const video = videos.get(videoId)
    if (!video || isTest(video.accountId, reference)) continue
    const { accountId, qualities } = video
    const day = getOrCreate(days, videoId, () => emptyDay(videoId, accountId))
    const add = (dimension: string, value: string, counts: Partial<CellCounts>) => {
      const { plays = 0, watch_ms = 0 } = counts
      if (plays > 0 || watch_ms > 0) sums.videos.add(videoId, dimension, value, { plays, watch_ms })
      sums.accounts.add(accountId, dimension, value, counts)
    }
    day.watch_ms += said.watchMs
    day.rebuffer_ms += said.rebufferMs
    day.rebuffers += said.rebuffers
    day.errors += said.errors
    for (const [at, count] of said.retention.entries()) day.retention[at] = (day.retention[at] as number) + count
    for (const start of starts) {
      if (!unseen.delete(start.id)) continue
      day.plays++
      day.startup[start.bucket] = (day.startup[start.bucket] as number) + 1
      const startup = startupOf(start.bucket)
      for (const dimension of FACTS) add(dimension, start[dimension], { plays: 1, startup })
      sums.pairs.addFacts(accountId, start, { plays: 1 })
    }
    for (const { facts, watchMs, rebufferMs, failures, reached, heights } of seen.values()) {
      const errors = [...failures.values()].reduce((sum, count) => sum + count, 0)
      const counts = { watch_ms: watchMs, rebuffer_ms: rebufferMs, errors, reached: reached.some(Boolean) ? reached : [] }
      for (const dimension of FACTS) add(dimension, facts[dimension], counts)
      sums.pairs.addFacts(accountId, facts, { watch_ms: watchMs })
      for (const [height, ms] of heights) {
        const quality = qualities[height] ?? UNKNOWN
        add('quality', quality, { watch_ms: ms })
        sums.pairs.addWith(accountId, facts, 'quality', quality, { watch_ms: ms })
      }
      // The row of the video has the sums of these.
      for (const [kind, plays] of failures) {
        sums.accounts.add(accountId, 'error', kind, { plays })
        sums.pairs.addWith(accountId, facts, 'error', kind, { plays })
      }
    }
  }
  const inOrder = [...days.values()].sort((a, b) => compare(a.account_id, b.account_id) || compare(a.video_id, b.video_id))
  return { days: inOrder, ...sums }
}

interface Known {
  videos: ReadonlyMap<string, CountedVideo>
  fresh: Iterable<string>
  isTest: (accountId: string, reference: string) => boolean
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const emptyCounts = (): CellCounts => ({ plays: 0, watch_ms: 0, rebuffer_ms: 0, errors: 0, startup: [], reached: [] })

/** Returns the start-up times of one play. */
const startupOf = (bucket: number) => Array.from({ length: STARTUP_BOUNDS.length + 1 }, (_, at) => (at === bucket ? 1 : 0))

function addTo(sums: number[], more: readonly number[] = []): void {
  for (const [at, count] of more.entries()) sums[at] = (sums[at] ?? 0) + count
}

const emptyDay = (videoId: string, accountId: string): DaySums => ({
  ...{ video_id: videoId, account_id: accountId, plays: 0, watch_ms: 0, rebuffer_ms: 0, rebuffers: 0, errors: 0 },
  startup: new Array<number>(STARTUP_BOUNDS.length + 1).fill(0),
  retention: new Array<number>(RETENTION_PARTS).fill(0),
})

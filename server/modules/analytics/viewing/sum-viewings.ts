import { getOrCreate } from '../requests/counters.ts'
import { OTHER, REACHED_PARTS, UNKNOWN } from './viewer-limits.ts'
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

/** A row of `viewer_day` or `account_viewer_day`. */
export interface Cell {
  owner: string
  dimension: string
  value: string
  plays: number
  watch_ms: number
}

/** One owner's sums, by dimension and value. */
export class Cells {
  private readonly cells = new Map<string, Cell>()

  add(owner: string, dimension: string, value: string, plays: number, ms: number): void {
    const cell = getOrCreate(this.cells, `${owner} ${dimension} ${value}`, () => ({ owner, dimension, value, plays: 0, watch_ms: 0 }))
    cell.plays += plays
    cell.watch_ms += ms
  }

  /** In the order in which every process writes them. */
  rows(): Cell[] {
    return [...this.cells].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cell]) => cell)
  }

  /** Returns the sums, with the referrers that `isOther` accepts combined. */
  fold(isOther: (cell: Cell) => boolean): Cells {
    const folded = new Cells()
    for (const cell of this.rows()) folded.add(cell.owner, cell.dimension, isOther(cell) ? OTHER : cell.value, cell.plays, cell.watch_ms)
    return folded
  }
}

export interface ViewingSums {
  days: DaySums[]
  videos: Cells
  accounts: Cells
}

/**
 * Sums a batch by video and by account. `videos`: those that count, by ID. `fresh`: IDs of the viewings that start with this batch.
 * `isTest`: whether a token of this account and reference belongs to a test key.
 */
export function sumViewings({ groups }: Pick<ViewingBatch, 'groups'>, { videos, fresh, isTest }: Known): ViewingSums {
  const days = new Map<string, DaySums>()
  const sums = { videos: new Cells(), accounts: new Cells() }
  const unseen = new Set(fresh)
  for (const { videoId, reference, sums: said, starts, failures, watched } of groups) {
    const video = videos.get(videoId)
    if (!video || isTest(video.accountId, reference)) continue
    const { accountId, qualities } = video
    const day = getOrCreate(days, videoId, () => emptyDay(videoId, accountId))
    const add = (dimension: string, value: string, plays: number, ms: number) => {
      sums.videos.add(videoId, dimension, value, plays, ms)
      sums.accounts.add(accountId, dimension, value, plays, ms)
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
      for (const dimension of FACTS) add(dimension, start[dimension], 1, 0)
      sums.accounts.add(accountId, 'startup', String(start.bucket), 1, 0)
    }
    // The row of the video has the sums of these.
    for (const [kind, count] of failures) sums.accounts.add(accountId, 'error', kind, count, 0)
    if (said.rebufferMs > 0) sums.accounts.add(accountId, 'rebuffer', 'all', 0, said.rebufferMs)
    for (const [dimension, byValue] of watched)
      for (const [value, ms] of byValue) add(dimension, dimension === 'quality' ? (qualities[value] ?? UNKNOWN) : value, 0, ms)
    // The video's row has these as its retention.
    for (const { share, part } of REACHED_PARTS) {
      const count = said.retention[part] as number
      if (count > 0) sums.accounts.add(accountId, 'reached', String(share), count, 0)
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

const emptyDay = (videoId: string, accountId: string): DaySums => ({
  ...{ video_id: videoId, account_id: accountId, plays: 0, watch_ms: 0, rebuffer_ms: 0, rebuffers: 0, errors: 0 },
  startup: new Array<number>(STARTUP_BOUNDS.length + 1).fill(0),
  retention: new Array<number>(RETENTION_PARTS).fill(0),
})

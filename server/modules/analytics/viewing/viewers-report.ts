import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { type Reads, readLagging } from '../../../platform/database/read-replica.ts'
import type { DayRange } from '../../../platform/text/day-ranges.ts'
import { isUnfinished, rangeAsked, rangeBefore } from '../range.ts'
import {
  errorsOf,
  type PlaybackQuality,
  playbackFigures,
  type QualityValue,
  qualityDays,
  qualityOf,
  qualityOfSome,
} from './playback-quality.ts'
import { REACHED_PARTS, VIEWER_DIMENSIONS, type ViewerDimension } from './viewer-limits.ts'
import { pairedValues } from './viewer-pairs.ts'
import type { ViewersInput } from './viewer-schema.ts'
import {
  type Counted,
  type CountedBefore,
  type CountedDay,
  daysOf,
  reachedOf,
  totalOf,
  type ValueRow,
  valuesIn,
  watchedDays,
  watchedValues,
} from './watched.ts'
import { mostWatched } from './watched-videos.ts'

/** Plays and watch time of a UTC day, or of a period. */
export interface Watched {
  plays: number
  minutes: number
}

/** What viewers with one value of a dimension watched. `before`: in the period before. */
export interface ViewerValue extends Watched {
  value: string
  before: Watched
}

/** What was watched of one video. */
export interface WatchedVideo extends Watched {
  videoId: string
  title: string
  isDeleted: boolean
  before: Watched
}

export interface Viewers extends DayRange {
  /** Every day of the range that has started, oldest first. Zeros without a play. */
  days: ({ day: string } & Watched)[]
  /** Whether the last day is not over yet. */
  unfinished: boolean
  totals: Watched
  previous: { days: ({ day: string } & Watched)[]; totals: Watched }
  /** Viewings that reached each share of their video, in percent. May include a viewing that started before the range. */
  reached: { share: number; viewings: number }[]
  /** Null in the report of one video, and of viewers of whom there were none. */
  quality: PlaybackQuality | null
  /**
   * By plays, `quality` by watch time; at most `MOST_VALUES` of each, and the sum of the others. With `only`, its dimension has all viewers;
   * the others have those with its value, and in the report of one video nothing.
   */
  by: Record<ViewerDimension, ViewerValue[]>
  /** The most played ones. Empty in the report of one video. */
  videos: WatchedVideo[]
}

/**
 * Returns who watched the account's videos, or one of them, over a range of UTC days and the equally long period before. A replica may be a
 * few seconds behind. Errors: VIDEO_NOT_FOUND, also for another account's video.
 */
export async function viewersReport({ accountId }: AccountCtx, { videoId, only, ...asked }: ViewersInput): Promise<Viewers> {
  const range = rangeAsked(asked)
  const before = rangeBefore(range)
  const compared = { ...range, before }
  const of = { accountId, videoId }
  const [days, values, paired, quality, some, videos] = await readLagging(async ({ on }) => {
    if (videoId) await requireVideo(accountId, videoId, on)
    return Promise.all([
      watchedDays(of, compared, on, only),
      watchedValues(of, compared, only ? [only.dimension] : VIEWER_DIMENSIONS, on),
      videoId || !only ? [] : pairedValues(accountId, compared, only, on),
      videoId || only ? null : qualityDays(accountId, range, on),
      videoId || !only || only.dimension === 'quality' ? undefined : qualityOfSome(accountId, range, only, on),
      videoId ? [] : mostWatched(accountId, compared, on, only),
    ])
  })
  const all = { now: daysOf(days, range), before: daysOf(days, before) }
  const totals = totalOf(all.now)
  return {
    ...range,
    days: all.now.map(shownDay),
    unfinished: isUnfinished(range),
    totals: shown(totals),
    quality: some ? shownQuality(some, paired) : quality && qualityOf(quality, totals.watchMs),
    previous: { days: all.before.map(shownDay), totals: shown(totalOf(all.before)) },
    reached: some ? REACHED_PARTS.map(({ share }, at) => ({ share, viewings: some.reached[at] as number })) : reachedOf(days, range),
    by: Object.fromEntries(
      VIEWER_DIMENSIONS.map((dimension) => [
        dimension,
        valuesIn([...values, ...paired], dimension).map((row) => ({ value: row.value, ...shownBefore(row) })),
      ]),
    ) as Viewers['by'],
    videos: videos.map(({ videoId, title, isDeleted, ...row }) => ({ videoId, title, isDeleted, ...shownBefore(row) })),
  }
}

const MINUTE_MS = 60_000

function shownQuality(some: QualityValue, paired: readonly ValueRow[]): PlaybackQuality {
  const kinds = paired.filter(({ dimension }) => dimension === 'error').map(({ value, plays }) => [value, plays] as const)
  return { ...playbackFigures(some), errorCount: some.errors, errors: errorsOf(kinds) }
}

const shown = ({ plays, watchMs }: Counted): Watched => ({ plays, minutes: watchMs / MINUTE_MS })
const shownDay = (one: CountedDay) => ({ day: one.day, ...shown(one) })
const shownBefore = (one: CountedBefore) => ({ ...shown(one), before: shown({ plays: one.playsBefore, watchMs: one.watchMsBefore }) })

/** Errors: VIDEO_NOT_FOUND, also for another account's video. */
export async function requireVideo(accountId: string, videoId: string, on: Reads['on']): Promise<void> {
  const found = await query('viewers-video', 'SELECT FROM video WHERE id = $1 AND account_id = $2', [videoId, accountId], on)
  if (found.length === 0) throw new ServiceError('VIDEO_NOT_FOUND')
}

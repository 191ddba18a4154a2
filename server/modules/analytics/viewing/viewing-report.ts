import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import type { DayRange } from '../../../platform/text/day-ranges.ts'
import { bucketStarts, isUnfinished, rangeAsked, rangeBefore } from '../range.ts'
import { type PlaybackFigures, playbackFigures } from './playback-quality.ts'
import { RETENTION_PARTS, type ViewingInput } from './viewing-schema.ts'

/** A video's playback statistics on one UTC day, or over all days of a report. */
export interface ViewingSums extends PlaybackFigures {
  plays: number
  minutesWatched: number
  errors: number
}

export interface ViewingDay extends ViewingSums {
  /** `YYYY-MM-DD`, UTC. */
  day: string
}

export interface Viewing extends DayRange {
  totals: ViewingSums
  /** Every day of the range that has started, oldest first. Zeros without a viewing. */
  days: ViewingDay[]
  /** Whether the last day is not over yet. */
  unfinished: boolean
  /** The days of the equally long period before. */
  previous: ViewingDay[]
  /** Share of plays that reached each twentieth of the video, 0 to 1. */
  retention: number[]
}

/** What was counted of a video, on a day or in all. */
export interface ViewingRow {
  /** Null without a day on which it was watched. */
  day: string | null
  plays: number
  watchMs: number
  rebufferMs: number
  errors: number
  startup: number[] | null
  retention: number[] | null
}

/** Returns the days on which a video was watched; one row without a day if there is none, and no row without the video. */
export const readViewDays = (accountId: string, videoId: string, { from, to }: DayRange): Promise<ViewingRow[]> =>
  query<ViewingRow & Record<string, unknown>>('viewing-report', REPORT, [videoId, accountId, from, to])

/** Returns the rows of a range's days, zeros without a viewing. */
export function viewingDays(rows: readonly ViewingRow[], days: DayRange): (ViewingRow & { day: string })[] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return bucketStarts(days, 'day').map((day) => ({ ...(byDay.get(day) ?? NO_VIEWING), day }))
}

/** Adds up days. */
export const addedDays = (rows: readonly ViewingRow[]): ViewingRow => ({
  day: null,
  plays: sum(rows, ({ plays }) => plays),
  watchMs: sum(rows, ({ watchMs }) => watchMs),
  rebufferMs: sum(rows, ({ rebufferMs }) => rebufferMs),
  errors: sum(rows, ({ errors }) => errors),
  startup: rows.reduce<number[]>((sums, { startup }) => added(sums, startup), []),
  retention: rows.reduce<number[]>((sums, { retention }) => added(sums, retention), []),
})

/**
 * Returns the playback statistics of a range of UTC days, and of the equally long period before. Errors: VIDEO_NOT_FOUND, also for another
 * account's video.
 */
export async function viewingReport(ctx: AccountCtx, { videoId, ...asked }: ViewingInput): Promise<Viewing> {
  const range = rangeAsked(asked)
  const before = rangeBefore(range)
  const found = await readViewDays(ctx.accountId, videoId, { from: before.from, to: range.to })
  if (found.length === 0) throw new ServiceError('VIDEO_NOT_FOUND')
  const rows = viewingDays(found, range)
  const all = addedDays(rows)
  const reached = Array.from({ length: RETENTION_PARTS }, (_, at) => all.retention?.[at] ?? 0)
  return {
    ...range,
    unfinished: isUnfinished(range),
    totals: viewingSums(all),
    previous: viewingDays(found, before).map((row) => ({ day: row.day, ...viewingSums(row) })),
    days: rows.map((row) => ({ day: row.day, ...viewingSums(row) })),
    // A viewing that started before midnight reaches parts on a day without a play, so a ratio can exceed 1.
    retention: reached.map((count) => (all.plays > 0 ? Math.min(1, count / all.plays) : 0)),
  }
}

/** One row without a day if nothing was watched. None without the video. */
const REPORT = `
  SELECT to_char(day, 'YYYY-MM-DD') AS day, coalesce(plays, 0) AS plays, coalesce(watch_ms, 0)::float8 AS "watchMs",
    coalesce(rebuffer_ms, 0)::float8 AS "rebufferMs", coalesce(errors, 0) AS errors, startup, retention
  FROM video
  LEFT JOIN view_day ON view_day.video_id = video.id AND view_day.day BETWEEN $3::date AND $4::date
  WHERE video.id = $1 AND video.account_id = $2`

export const NO_VIEWING: ViewingRow = { day: null, plays: 0, watchMs: 0, rebufferMs: 0, errors: 0, startup: null, retention: null }

/** Computes the figures of a day, or of all. */
export const viewingSums = ({ plays, watchMs, rebufferMs, errors, startup }: Omit<ViewingRow, 'day' | 'retention'>): ViewingSums => ({
  plays,
  minutesWatched: watchMs / 60_000,
  ...playbackFigures({ watchMs, rebufferMs, startup: startup ?? [] }),
  errors,
})

const sum = (rows: readonly ViewingRow[], of: (row: ViewingRow) => number) => rows.reduce((total, row) => total + of(row), 0)

const added = (sums: number[], more: number[] | null) =>
  Array.from({ length: Math.max(sums.length, more?.length ?? 0) }, (_, at) => (sums[at] ?? 0) + (more?.[at] ?? 0))

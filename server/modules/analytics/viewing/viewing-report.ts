import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import type { DayRange } from '../../../platform/text/day-ranges.ts'
import { quantile } from '../quantile.ts'
import { bucketStarts, isUnfinished, rangeAsked, rangeBefore } from '../range.ts'
import { RETENTION_PARTS, type ViewingInput } from './viewing-schema.ts'

/** A video's playback statistics on one UTC day, or over all days of a report. */
export interface ViewingSums {
  plays: number
  minutesWatched: number
  /** Milliseconds from the play command to the first frame. Null without a play. */
  startupP50: number | null
  startupP95: number | null
  /** Share of the time spent waiting for data, 0 to 1. Null without watch time. */
  rebufferRatio: number | null
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

interface Row {
  /** Null without a day on which it was watched. */
  day: string | null
  plays: number
  watchMs: number
  rebufferMs: number
  errors: number
  startup: number[] | null
  retention: number[] | null
}

/**
 * Returns the playback statistics of a range of UTC days, and of the equally long period before. Errors: VIDEO_NOT_FOUND, also for another
 * account's video.
 */
export async function viewingReport(ctx: AccountCtx, { videoId, ...asked }: ViewingInput): Promise<Viewing> {
  const range = rangeAsked(asked)
  const before = rangeBefore(range)
  const found = await query<Row>('viewing-report', REPORT, [videoId, ctx.accountId, before.from, range.to])
  if (found.length === 0) throw new ServiceError('VIDEO_NOT_FOUND')
  const byDay = new Map(found.map((row) => [row.day, row]))
  const rowsOf = (days: DayRange) => bucketStarts(days, 'day').map((day) => ({ ...(byDay.get(day) ?? NONE), day }))
  const rows = rowsOf(range)
  const all: Row = {
    day: null,
    plays: sum(rows, ({ plays }) => plays),
    watchMs: sum(rows, ({ watchMs }) => watchMs),
    rebufferMs: sum(rows, ({ rebufferMs }) => rebufferMs),
    errors: sum(rows, ({ errors }) => errors),
    startup: rows.reduce<number[]>((sums, { startup }) => added(sums, startup), []),
    retention: rows.reduce<number[]>((sums, { retention }) => added(sums, retention), []),
  }
  const reached = Array.from({ length: RETENTION_PARTS }, (_, at) => all.retention?.[at] ?? 0)
  return {
    ...range,
    unfinished: isUnfinished(range),
    totals: sums(all),
    previous: rowsOf(before).map((row) => ({ day: row.day, ...sums(row) })),
    days: rows.map((row) => ({ day: row.day, ...sums(row) })),
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

const NONE: Row = { day: null, plays: 0, watchMs: 0, rebufferMs: 0, errors: 0, startup: null, retention: null }

function sums({ plays, watchMs, rebufferMs, errors, startup }: Row): ViewingSums {
  const all = watchMs + rebufferMs
  return {
    plays,
    minutesWatched: watchMs / 60_000,
    startupP50: whole(quantile(startup ?? [], 0.5)),
    startupP95: whole(quantile(startup ?? [], 0.95)),
    rebufferRatio: all > 0 ? rebufferMs / all : null,
    errors,
  }
}

const whole = (ms: number | null) => (ms === null ? null : Math.round(ms))

const sum = (rows: readonly Row[], of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)

const added = (sums: number[], more: number[] | null) =>
  Array.from({ length: Math.max(sums.length, more?.length ?? 0) }, (_, at) => (sums[at] ?? 0) + (more?.[at] ?? 0))

import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { query } from '../../platform/database.ts'
import { quantile } from './quantile.ts'
import { RETENTION_PARTS, type ViewingInput } from './viewing-schema.ts'

/** Playback statistics of a video on one UTC day, or over all days of a report. */
export interface ViewingSums {
  plays: number
  minutesWatched: number
  /** Milliseconds from the play command to the first frame; null without a play. */
  startupP50: number | null
  startupP95: number | null
  /** Share of the time spent waiting for data, 0 to 1; null without watch time. */
  rebufferRatio: number | null
  errors: number
}

export interface ViewingDay extends ViewingSums {
  /** `YYYY-MM-DD`, UTC. */
  day: string
}

export interface Viewing {
  totals: ViewingSums
  /** Every day of the range, oldest first; zeros without a viewing. */
  days: ViewingDay[]
  /** Share of the plays that reached each twentieth of the video, 0 to 1. */
  retention: number[]
}

interface Row {
  day: string
  plays: number
  watchMs: number
  rebufferMs: number
  errors: number
  startup: number[] | null
  retention: number[] | null
}

/** Returns the playback statistics of the last `days` days, today included. Errors: VIDEO_NOT_FOUND, also for another account's video. */
export async function viewingReport(ctx: AccountCtx, { videoId, days }: ViewingInput): Promise<Viewing> {
  const rows = await query<Row>('viewing-report', REPORT, [videoId, ctx.accountId, days])
  if (rows.length === 0) throw new ServiceError('VIDEO_NOT_FOUND')
  const all: Row = {
    day: '',
    plays: sum(rows, ({ plays }) => plays),
    watchMs: sum(rows, ({ watchMs }) => watchMs),
    rebufferMs: sum(rows, ({ rebufferMs }) => rebufferMs),
    errors: sum(rows, ({ errors }) => errors),
    startup: rows.reduce<number[]>((sums, { startup }) => added(sums, startup), []),
    retention: rows.reduce<number[]>((sums, { retention }) => added(sums, retention), []),
  }
  const reached = Array.from({ length: RETENTION_PARTS }, (_, at) => all.retention?.[at] ?? 0)
  return {
    totals: sums(all),
    days: rows.map((row) => ({ day: row.day, ...sums(row) })),
    // A viewing that began before midnight reaches parts on a day without a play, so a ratio can exceed 1.
    retention: reached.map((count) => (all.plays > 0 ? Math.min(1, count / all.plays) : 0)),
  }
}

const REPORT = `
  SELECT to_char(days.day, 'YYYY-MM-DD') AS day, coalesce(plays, 0) AS plays, coalesce(watch_ms, 0)::float8 AS "watchMs",
    coalesce(rebuffer_ms, 0)::float8 AS "rebufferMs", coalesce(errors, 0) AS errors, startup, retention
  FROM video
  CROSS JOIN generate_series((service_now() AT TIME ZONE 'UTC')::date - ($3::int - 1), (service_now() AT TIME ZONE 'UTC')::date, '1 day') AS days (day)
  LEFT JOIN view_day ON view_day.video_id = video.id AND view_day.day = days.day
    -- Excludes the partitions of earlier months.
    AND view_day.day >= (service_now() AT TIME ZONE 'UTC')::date - ($3::int - 1)
  WHERE video.id = $1 AND video.account_id = $2 AND video.replaces IS NULL ORDER BY days.day`

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

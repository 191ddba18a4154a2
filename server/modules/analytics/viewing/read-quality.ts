import type { AccountCtx } from '../../../context.ts'
import { query, type Runner } from '../../../platform/database/database.ts'
import { readLagging } from '../../../platform/database/read-replica.ts'
import type { DayRange } from '../../../platform/text/day-ranges.ts'
import type { Pagination } from '../../../platform/text/schema.ts'
import { listVideoPage } from '../../videos/list/list.ts'
import { isUnfinished, periodAsked } from '../range.ts'
import { MOST_GROUPED_VIDEOS, type Quality, type QualityQuery, USUAL_DAYS } from './analytics-schema.ts'
import {
  type PlaybackFigures,
  playbackFigures,
  type QualityDay,
  qualityDays,
  qualityOf,
  qualityValues,
  STARTUP_SUMS,
} from './playback-quality.ts'
import { NO_MORE, requireShown } from './read-plays.ts'
import { addedDays, NO_VIEWING, readViewDays, type ViewingRow, viewingDays, viewingSums } from './viewing-report.ts'
import { type Counted, daysOf, totalOf, watchedDays } from './watched.ts'

type Measured = Pick<Quality, 'totals' | 'errorKinds' | 'groups'>

/**
 * Returns how well the account's videos played, or one of them, in a range of UTC days: the totals, and a group for each day, or video of a
 * page. Computes what the dashboard shows. A replica may be a few seconds behind. Errors: INVALID_REQUEST (range, cursor), VIDEO_NOT_FOUND,
 * those of fixtures.
 */
export async function readQuality(ctx: AccountCtx, asked: Partial<QualityQuery>): Promise<{ quality: Quality; pagination: Pagination }> {
  const { videoId, groupBy = 'day', limit = MOST_GROUPED_VIDEOS, cursor } = asked
  const range = periodAsked(asked, USUAL_DAYS)
  const head = { ...range, partial: isUnfinished(range), groupBy }
  if (videoId !== undefined) {
    await requireShown(ctx, videoId)
    return { quality: { ...head, ...(await qualityOfVideo(ctx.accountId, videoId, range)) }, pagination: NO_MORE }
  }
  if (groupBy === 'day') return { quality: { ...head, ...(await qualityOfAccount(ctx.accountId, range)) }, pagination: NO_MORE }
  if (groupBy !== 'video') {
    const [all, values] = await Promise.all([
      qualityOfAccount(ctx.accountId, range),
      readLagging(({ on }) => qualityValues(ctx.accountId, range, groupBy, on)),
    ])
    const groups = values.map((row) => ({ value: row.value, plays: row.plays, ...shown(playbackFigures(row)), errors: row.errors }))
    return { quality: { ...head, ...all, groups }, pagination: NO_MORE }
  }
  const { videos, pagination } = await listVideoPage(ctx, { limit, ...(cursor !== undefined && { cursor }) })
  const ids = videos.map(({ id }) => id)
  const [all, ofVideos] = await Promise.all([qualityOfAccount(ctx.accountId, range), readLagging(({ on }) => sumsOfVideos(ids, range, on))])
  const groups = ids.map((id) => ({ value: id, ...shownOfVideo(ofVideos.get(id) ?? NO_VIEWING) }))
  return { quality: { ...head, ...all, groups }, pagination }
}

async function qualityOfAccount(accountId: string, range: DayRange): Promise<Measured> {
  const [watched, measured] = await readLagging(({ on }) =>
    Promise.all([watchedDays({ accountId }, range, on), qualityDays(accountId, range, on)]),
  )
  const days = daysOf(watched, range)
  const byDay = new Map(measured.map((row) => [row.day, row]))
  const ofDays = (rows: readonly QualityDay[], { plays, watchMs }: Counted) => {
    const figures = qualityOf(rows, watchMs)
    return { plays, ...shown(figures), errors: figures.errorCount }
  }
  return {
    totals: ofDays(measured, totalOf(days)),
    errorKinds: qualityOf(measured, 0).errors as Quality['errorKinds'],
    groups: days.map(({ day, ...counted }) => ({ value: day, ...ofDays(byDay.get(day) ? [byDay.get(day) as QualityDay] : [], counted) })),
  }
}

async function qualityOfVideo(accountId: string, videoId: string, range: DayRange): Promise<Measured> {
  const days = viewingDays(await readViewDays(accountId, videoId, range), range)
  return {
    totals: shownOfVideo(addedDays(days)),
    errorKinds: null,
    groups: days.map((row) => ({ value: row.day, ...shownOfVideo(row) })),
  }
}

type VideoSums = Omit<ViewingRow, 'day' | 'retention'>

function shownOfVideo(sums: VideoSums) {
  const { plays, errors, ...figures } = viewingSums(sums)
  return { plays, ...shown(figures), errors }
}

const shown = ({ startupP50, startupP95, rebufferRatio }: PlaybackFigures) => ({
  startupP50Ms: startupP50,
  startupP95Ms: startupP95,
  rebufferRatio,
})

/** Video by video, so that the plan for any parameters also uses the primary key. */
const OF_VIDEOS = `
  SELECT id AS "videoId", sums.* FROM unnest($1::text[]) AS id CROSS JOIN LATERAL (
    SELECT coalesce(sum(plays), 0)::float8 AS plays, coalesce(sum(watch_ms::float8), 0) AS "watchMs",
      coalesce(sum(rebuffer_ms::float8), 0) AS "rebufferMs", coalesce(sum(errors), 0)::float8 AS errors,
      ${STARTUP_SUMS}
    FROM view_day WHERE video_id = id AND day BETWEEN $2::date AND $3::date) AS sums`

async function sumsOfVideos(videoIds: readonly string[], { from, to }: DayRange, on: Runner): Promise<Map<string, VideoSums>> {
  type Row = VideoSums & { videoId: string } & Record<string, unknown>
  const rows = await query<Row>('quality-of-videos', OF_VIDEOS, [videoIds, from, to], on)
  return new Map(rows.map(({ videoId, ...sums }) => [videoId, sums]))
}

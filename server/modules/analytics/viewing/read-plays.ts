import type { AccountCtx } from '../../../context.ts'
import { readLagging } from '../../../platform/database/read-replica.ts'
import type { Pagination } from '../../../platform/text/schema.ts'
import { fixtureError, fixtureFor } from '../../videos/fixtures.ts'
import { getVideo } from '../../videos/get.ts'
import { listVideoPage } from '../../videos/list/list.ts'
import { isUnfinished, periodAsked } from '../range.ts'
import { MOST_GROUPED_VIDEOS, type Plays, type PlaysQuery, USUAL_DAYS } from './analytics-schema.ts'
import { type Counted, daysOf, NOTHING, reachedOf, totalOf, valuesIn, watchedDays, watchedValues } from './watched.ts'
import { watchedOf } from './watched-videos.ts'

/** The last page, and the page of what has no pages. */
export const NO_MORE: Pagination = { nextCursor: null, hasMore: false }

/**
 * Returns what was played of the account's videos, or of one, in a range of UTC days: the totals, and a group for each day, value of a
 * dimension, or video of a page. Reads what the dashboard shows. A replica may be a few seconds behind. Errors: INVALID_REQUEST (range,
 * cursor), VIDEO_NOT_FOUND, those of fixtures.
 */
export async function readPlays(ctx: AccountCtx, asked: Partial<PlaysQuery>): Promise<{ plays: Plays; pagination: Pagination }> {
  const { videoId, groupBy = 'day', limit = MOST_GROUPED_VIDEOS, cursor } = asked
  const range = periodAsked(asked, USUAL_DAYS)
  if (videoId !== undefined) await requireShown(ctx, videoId)
  const page = groupBy === 'video' ? await listVideoPage(ctx, { limit, ...(cursor !== undefined && { cursor }) }) : undefined
  const of = { accountId: ctx.accountId, videoId }
  const dimension = groupBy === 'day' || groupBy === 'video' ? undefined : groupBy
  const [rows, values, ofVideos] = await readLagging(({ on }) =>
    Promise.all([
      watchedDays(of, range, on),
      dimension ? watchedValues(of, range, [dimension], on) : [],
      page &&
        watchedOf(
          page.videos.map(({ id }) => id),
          range,
          on,
        ),
    ]),
  )
  const days = daysOf(rows, range)
  const groups = page
    ? page.videos.map(({ id }) => ({ value: id, ...shown(ofVideos?.get(id) ?? NOTHING) }))
    : dimension
      ? valuesIn(values, dimension).map((row) => ({ value: row.value, ...shown(row) }))
      : days.map((row) => ({ value: row.day, ...shown(row) }))
  const plays = {
    ...range,
    partial: isUnfinished(range),
    groupBy,
    totals: shown(totalOf(days)),
    reached: reachedOf(rows, range).map(({ share, viewings }) => ({ percent: share, plays: viewings })),
    groups,
  }
  return { plays, pagination: page?.pagination ?? NO_MORE }
}

const shown = ({ plays, watchMs }: Counted) => ({ plays, watchedSec: watchMs / 1_000 })

/** Throws unless the API shows this video to the caller. Errors: VIDEO_NOT_FOUND, those of fixtures. */
export async function requireShown(ctx: AccountCtx, videoId: string): Promise<void> {
  const { videoError } = fixtureFor(ctx, videoId) ?? {}
  if (videoError) throw fixtureError(videoError, 'analytics:read')
  await getVideo(ctx, { videoId })
}

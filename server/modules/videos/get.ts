import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { NotifiedCache } from '../../platform/cache.ts'
import { services } from '../../platform/container.ts'
import { query, vital } from '../../platform/database/database.ts'
import { andThen, type MaybePromise } from '../../platform/maybe-promise.ts'
import { fixtureError, fixtureFor, fixtureVideo } from './fixtures.ts'
import { VISIBLE } from './owned-video.ts'
import { type RenderedVideo, renderRow, renderVideo, VERSION_COLUMNS, type VersionRow } from './presenter.ts'

declare module '../../platform/container.ts' {
  interface Services {
    /** By account and video. */
    videos: NotifiedCache<RenderedVideo>
  }
}

const cache = () => services().videos

export const makeVideos = () => new NotifiedCache<RenderedVideo>('videos', 20_000, { video: (subject) => subject })

/**
 * Returns the account's video (specification §4.2). Errors: VIDEO_NOT_FOUND, the same for an absent video and another account's. Test keys
 * also recognize the fixture IDs of ./fixtures.ts.
 */
export function getVideo(ctx: AccountCtx, { videoId }: { videoId: string }): MaybePromise<RenderedVideo> {
  if (!/^vid_\w{1,60}$/.test(videoId)) throw new ServiceError('VIDEO_NOT_FOUND')
  const fixture = fixtureFor(ctx, videoId)
  if (fixture?.videoError) throw fixtureError(fixture.videoError)
  if (fixture) return renderVideo(fixtureVideo(videoId, fixture))
  return andThen(
    cache().get(`${ctx.accountId}:${videoId}`, () => load(ctx, videoId)),
    existing,
  )
}

function existing(video: RenderedVideo | undefined): RenderedVideo {
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND')
  return video
}

async function load(ctx: AccountCtx, videoId: string): Promise<RenderedVideo | undefined> {
  const [row] = await query<VersionRow & Record<string, unknown>>(
    'video-by-id',
    `SELECT ${VERSION_COLUMNS} FROM video WHERE id = $1 AND account_id = $2 AND ${VISIBLE}`,
    [videoId, ctx.accountId],
    vital(),
  )
  return row && renderRow(row)
}

import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { NotifiedCache } from '../../../platform/cache.ts'
import { services } from '../../../platform/container.ts'
import { decodeCursor, encodeCursor, pageOf } from '../../../platform/database/cursor.ts'
import { query } from '../../../platform/database/database.ts'
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts'
import { beginLongAnswer } from '../../../platform/turns/long-answers.ts'
import { MAX_PAGE } from '../limits.ts'
import { VISIBLE } from '../owned-video.ts'
import { presentVideo, VIDEO_COLUMNS, type VideoRow } from '../presenter.ts'
import type { VideoObject } from '../schema.ts'
import { ListRenderer, type RenderedList } from './render-list.ts'

const CACHE_BYTES = 64 * 1024 ** 2
/** A spool's byte counts as a sixteenth: the cache holds at most 64 MiB of memory, or 1 GiB of disk space. */
const SPOOLED_SHARE = 16

declare module '../../../platform/container.ts' {
  interface Services {
    /** By account. */
    videoLists: NotifiedCache<RenderedList>
    listRenderer: ListRenderer
  }
}

const cache = () => services().videoLists

export function makeVideoLists(): NotifiedCache<RenderedList> {
  const accountOf = (subject: string) => subject.slice(0, subject.indexOf(':'))
  const weight = ({ bytes, content }: RenderedList) => (Buffer.isBuffer(content) ? bytes : Math.ceil(bytes / SPOOLED_SHARE))
  const drop = ({ content }: RenderedList) => {
    if (!Buffer.isBuffer(content)) content.release()
  }
  return new NotifiedCache<RenderedList>('video_lists', CACHE_BYTES, { video: accountOf }, weight, drop)
}

export const makeListRenderer = () => new ListRenderer()

/** A rendered body: its bytes, or a stream of them. */
type ListAnswer = { etag: string } & ({ json: Buffer } | { stream: { bytes: number; read(): AsyncIterableIterator<Uint8Array> } })

/**
 * Returns every video of the account, newest first, then by ID, as the rendered envelope (specification §4.1). A stream must be read in the
 * turn of the event loop that receives the response. Errors: TurnRefused while there is too much to render, also when reading a stream
 * while the account has too many open.
 */
export function listVideos(ctx: AccountCtx): MaybePromise<ListAnswer> {
  const list = cache().get(ctx.accountId, () => services().listRenderer.render(ctx.accountId))
  return andThen(list, (made) => answerOf(ctx, made as RenderedList))
}

function answerOf({ accountId }: AccountCtx, { etag, bytes, content }: RenderedList): ListAnswer {
  if (Buffer.isBuffer(content)) return { etag, json: content }
  const read = () => {
    const turn = beginLongAnswer('lists', accountId)
    return content.read(() => turn.end())
  }
  return { etag, stream: { bytes, read } }
}

export interface VideoPage {
  videos: VideoObject[]
  pagination: { nextCursor: string | null; hasMore: boolean }
}

/** Returns one page in the same order, for callers who opt in. Errors: INVALID_REQUEST for a cursor that this API did not issue. */
export async function listVideoPage(ctx: AccountCtx, { limit = 100, cursor }: { limit?: number; cursor?: string }): Promise<VideoPage> {
  const rows =
    cursor === undefined
      ? await query<VideoRow>('video-first-page', pageStatement('', '$2'), [ctx.accountId, limit + 1])
      : await query<VideoRow>('video-next-page', pageStatement('AND created_at <= $2 AND (created_at < $2 OR id > $3)', '$4'), [
          ctx.accountId,
          ...readCursor(cursor),
          limit + 1,
        ])
  const page = pageOf(rows, limit, (last) => encodeCursor([last.created_at.toISOString(), last.id]))
  return { videos: page.rows.map(presentVideo), pagination: { nextCursor: page.nextCursor, hasMore: page.nextCursor !== null } }
}

/* The inner constant limit bounds the planner's estimate, so that it uses one cached plan. Planning per call took longer than reading. */
const pageStatement = (after: string, limit: string) => `
  SELECT * FROM (
    SELECT ${VIDEO_COLUMNS} FROM video WHERE account_id = $1 AND ${VISIBLE} ${after}
    ORDER BY created_at DESC, id LIMIT ${MAX_PAGE + 1}) AS page
  LIMIT ${limit}`

/** Returns the time and ID of the previous page's last video. Errors: INVALID_REQUEST. */
export function readCursor(cursor: string): [string, string] {
  const [at, id] = decodeCursor(cursor, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, /^vid_\w{1,60}$/) ?? []
  // February 30 and the year 0 match the pattern as well, but the database rejects both.
  const isMoment = at !== undefined && at >= '0001' && !Number.isNaN(Date.parse(at)) && new Date(at).toISOString() === at
  if (!isMoment || !id) {
    throw new ServiceError('INVALID_REQUEST', {
      details: [{ in: 'query', path: 'cursor', message: 'Invalid cursor. Use the pagination.nextCursor of an earlier response.' }],
    })
  }
  return [at, id]
}

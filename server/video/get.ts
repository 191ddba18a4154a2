import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { NotifiedCache } from '../infra/cache.ts'
import { sha256 } from '../infra/crypto.ts'
import { query } from '../infra/db.ts'
import { processWide } from '../infra/process-wide.ts'
import { presentVideo, VIDEO_COLUMNS, type VideoRow } from './present.ts'
import type { VideoObject } from './schema.ts'

/** A video as the REST surface answers it: the object, its whole envelope rendered, and the validator of those bytes. */
export interface RenderedVideo {
  video: VideoObject
  json: Buffer
  etag: string
}

const cache = () => processWide('video-cache', () => new NotifiedCache<RenderedVideo>(20_000, { video: (subject) => subject }))

/** A video of the account (specification §4.2). Errors: VIDEO_NOT_FOUND, the same for an absent and another account's. */
export async function getVideo(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<RenderedVideo> {
  if (!/^vid_\w{1,60}$/.test(videoId)) throw new ServiceError('VIDEO_NOT_FOUND')
  const found = await cache().get(`${ctx.accountId}:${videoId}`, () => load(ctx, videoId))
  if (!found) throw new ServiceError('VIDEO_NOT_FOUND')
  return found
}

async function load(ctx: AccountCtx, videoId: string): Promise<RenderedVideo | undefined> {
  const [row] = await query<VideoRow>(
    'video-by-id',
    `SELECT ${VIDEO_COLUMNS} FROM video WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`,
    [videoId, ctx.accountId],
  )
  if (!row) return undefined
  const video = presentVideo(row)
  const json = Buffer.from(JSON.stringify({ success: true, data: video }))
  return { video, json, etag: etagOf(json) }
}

/** A strong validator of exactly these bytes. */
export const etagOf = (bytes: Uint8Array) => `"${sha256(bytes).subarray(0, 16).toString('base64url')}"`

import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { type ContentAccess, contentAccessOf } from '../../audit/content-access.ts'
import { type PicturesOfVideo, THUMBNAIL_WIDTHS, type VideoPictures } from '../../transcoding/pictures/pictures-schema.ts'
import { fixtureFor } from '../../videos/fixtures.ts'
import { getVideo } from '../../videos/get.ts'
import { VISIBLE } from '../../videos/owned-video.ts'
import { pictureExpiry, pictureUrl } from './picture.ts'
import { thumbnailFile } from './thumbnails.ts'

interface Row {
  id: string
  poster: string | null
  hasStoryboard: boolean
  isComplete: boolean
  [column: string]: unknown
}

const PICTURES = `
  SELECT video.id, video.poster, m.storyboard IS NOT NULL AS "hasStoryboard", video.status = 'COMPLETED' AS "isComplete"
  FROM video LEFT JOIN media m ON m.id = video.media_id
  WHERE video.id = ANY ($1) AND video.account_id = $2 AND ${VISIBLE}`

const readRows = ({ accountId }: AccountCtx, videoIds: readonly string[]) =>
  query<Row>('pictures-of-videos', PICTURES, [videoIds, accountId])

function present({ id, poster, hasStoryboard, isComplete }: Row, access: ContentAccess | undefined, expiresAt: number): VideoPictures {
  return {
    poster: access && isComplete && poster ? pictureUrl(access, id, `poster-${poster}.jpg`, expiresAt) : null,
    storyboard: access && isComplete && hasStoryboard ? pictureUrl(access, id, 'storyboard.vtt', expiresAt) : null,
    expiresAt: new Date(expiresAt * 1_000).toISOString(),
  }
}

/** URLs of a video without pictures, such as a fixture. */
export const noPictures = (): VideoPictures => ({
  poster: null,
  storyboard: null,
  expiresAt: new Date(pictureExpiry() * 1_000).toISOString(),
})

/** Returns the poster and storyboard URLs of the account's videos, by video. None for support staff. */
export async function picturesOf(ctx: AccountCtx, videoIds: readonly string[]): Promise<Map<string, VideoPictures>> {
  const [access, expiresAt] = [contentAccessOf(ctx), pictureExpiry()]
  return new Map((await readRows(ctx, videoIds)).map((row) => [row.id, present(row, access, expiresAt)]))
}

/**
 * Returns a video's poster and storyboard URLs, and one of a thumbnail at `time` (seconds). None for support staff. Errors: as `getVideo`,
 * INVALID_REQUEST for a time after the video's end.
 */
export async function getPictures(
  ctx: AccountCtx,
  {
    videoId,
    time,
    width = THUMBNAIL_WIDTHS.usual,
    format = 'jpeg',
  }: {
    videoId: string
    time?: number | undefined
    width?: number | undefined
    format?: 'jpeg' | 'webp' | undefined
  },
): Promise<PicturesOfVideo> {
  const { video } = await getVideo(ctx, { videoId })
  if (fixtureFor(ctx, videoId)) return { ...noPictures(), thumbnail: null }
  const [row] = await readRows(ctx, [videoId])
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND')
  const [access, expiresAt] = [contentAccessOf(ctx), pictureExpiry()]
  const pictures = present(row, access, expiresAt)
  if (!row.isComplete || !access) return { ...pictures, thumbnail: null }
  if (time !== undefined && time > video.durationSec) {
    const message = `The video is ${video.durationSec} seconds long.`
    throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'query', path: 'time', message }] })
  }
  // In tenths of a second, which limits a video's number of pictures.
  const timeMs = Math.round((time ?? video.durationSec / 2) * 10) * 100
  return { ...pictures, thumbnail: pictureUrl(access, videoId, thumbnailFile({ timeMs, width, format }), expiresAt) }
}

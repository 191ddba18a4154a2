import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../errors.ts'
import { services } from '../../../platform/container.ts'
import { query } from '../../../platform/database/database.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { Turns } from '../../../platform/turns/turns.ts'
import { drawThumbnail, type ThumbnailFormat } from '../../transcoding/pictures/thumbnail.ts'
import { openPicture, type Picture } from './picture.ts'
import { streamsOf } from './streams.ts'

/** Memory for drawn thumbnails. */
const CACHE_BYTES = 64 * 1024 ** 2
const KEPT_MS = 3_600_000

interface Thumbnails {
  /** By the hash of what they are drawn from and how, so nothing in it ever changes. All who wait for one get the same. */
  drawn: LRUCache<string, Buffer, () => Promise<Buffer>>
  turns: Turns
}

declare module '../../../platform/container.ts' {
  interface Services {
    thumbnails: Thumbnails
  }
}

export const makeThumbnails = (): Thumbnails => ({
  drawn: new LRUCache({
    ...{ maxSize: CACHE_BYTES, ttl: KEPT_MS, ignoreFetchAbort: true },
    sizeCalculation: (picture) => picture.length,
    fetchMethod: (_hash, _former, { context: draw }) => draw(),
  }),
  // Web processes draw them, and their processors also serve requests.
  turns: new Turns({ name: 'thumbnails', places: 2, share: 1, queue: 12, retryAfter: 2 }),
})

export interface Thumbnail {
  timeMs: number
  width: number
  format: ThumbnailFormat
}

/** Returns a thumbnail's file name, which `thumbnailOf` reads. */
export const thumbnailFile = ({ timeMs, width, format }: Thumbnail): string =>
  `thumbnail-${timeMs}-${width}.${format === 'jpeg' ? 'jpg' : 'webp'}`

/** Returns the thumbnail that a file names. Undefined for another file. */
export function thumbnailOf(file: string): Thumbnail | undefined {
  const [, timeMs, width, ending] = /^thumbnail-(\d{1,9})-(\d{2,4})\.(jpg|webp)$/.exec(file) ?? []
  return timeMs && width ? { timeMs: Number(timeMs), width: Number(width), format: ending === 'jpg' ? 'jpeg' : 'webp' } : undefined
}

interface Moment {
  accountId: string
  quality: string
  /** Of its segment. */
  name: string
  sequence: number
  offsetSec: number
  [column: string]: unknown
}

/**
 * The segment of a moment, in the smallest rendition with the width, else the largest; for a later moment, the last segment. In the
 * database: here, a long video's segments would occupy the event loop for tens of milliseconds.
 */
const MOMENT = `
  WITH chosen AS (
    SELECT m.account_id, r.quality, r.segments FROM rendition r JOIN media m ON m.id = r.media_id
    WHERE m.id = $1 AND m.status = 'COMPLETED' AND r.codec = 'h264'
    ORDER BY r.width >= $2 DESC, CASE WHEN r.width >= $2 THEN r.width ELSE -r.width END LIMIT 1),
  listed AS (
    SELECT account_id, quality, segment ->> 0 AS name, number::int - 1 AS sequence, (segment ->> 1)::float8 AS seconds,
      COALESCE(sum((segment ->> 1)::float8) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS start
    FROM chosen, jsonb_array_elements(segments) WITH ORDINALITY AS each(segment, number))
  SELECT account_id AS "accountId", quality, name, sequence, $3::float8 - start AS "offsetSec" FROM listed
  ORDER BY start + seconds > $3 DESC, CASE WHEN start + seconds > $3 THEN sequence ELSE -sequence END LIMIT 1`

/**
 * Returns a thumbnail, drawn from the smallest rendition with its width. Its permit is only for this file. Errors: PLAYBACK_TOKEN_INVALID,
 * PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND, NOT_FOUND for a video that is not COMPLETED, SERVICE_UNAVAILABLE while too many are being drawn.
 */
export async function findThumbnail(opened: { videoId: string; permit: string; file: string }): Promise<Picture> {
  const { videoId, permit, file } = opened
  const wanted = thumbnailOf(file)
  const isOwn = (await openPicture(videoId, permit, file)) !== undefined
  if (!wanted || !isOwn) throw noSuchImage()
  const { picture, hash } = await drawnThumbnail(videoId, wanted)
  return { bytes: picture.length, etag: `"${hash}"`, read: (range) => parts(picture, range) }
}

const noSuchImage = () => new ServiceError('NOT_FOUND', { message: 'This video has no such image.' })

/**
 * Returns a thumbnail and the hash of what it is drawn from. Does not check permission. Errors: VIDEO_NOT_FOUND, NOT_FOUND,
 * SERVICE_UNAVAILABLE.
 */
export async function drawnThumbnail(videoId: string, wanted: Thumbnail): Promise<{ picture: Buffer; hash: string }> {
  const { contentKey, mediaId } = await streamsOf(videoId)
  const [found] = await query<Moment>('thumbnail-moment', MOMENT, [mediaId, wanted.width, wanted.timeMs / 1_000])
  if (!found) throw noSuchImage()
  const { accountId, quality, ...moment } = found
  const hash = sha256(JSON.stringify([mediaId, moment, wanted.width, wanted.format]))
    .toString('hex')
    .slice(0, 32)
  const { drawn, turns } = services().thumbnails
  const draw = () => turns.run([accountId, ''], () => drawThumbnail({ mediaId, contentKey, stream: quality }, moment, wanted))
  return { picture: await drawn.forceFetch(hash, { context: draw }), hash }
}

async function* parts(picture: Buffer, range?: { start: number; end: number }): AsyncGenerator<Uint8Array> {
  yield range ? picture.subarray(range.start, range.end + 1) : picture
}

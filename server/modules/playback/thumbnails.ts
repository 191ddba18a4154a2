import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../errors.ts'
import { services } from '../../platform/container.ts'
import { sha256 } from '../../platform/crypto.ts'
import { query } from '../../platform/database.ts'
import { Turns } from '../../platform/turns.ts'
import { drawThumbnail, type ThumbnailFormat } from '../transcoding/thumbnail.ts'
import type { Picture } from './picture.ts'
import { openPicture } from './picture-permit.ts'
import { streamsOf } from './streams.ts'

/** Memory of drawn thumbnails. */
const CACHE_BYTES = 64 * 1024 ** 2
const KEPT_MS = 3_600_000

interface Thumbnails {
  /** By the hash of what they are drawn from and how: nothing in it ever changes. */
  drawn: LRUCache<string, Buffer>
  /** Those being drawn: all who wait for one get the same. */
  drawing: Map<string, Promise<Buffer>>
  turns: Turns
}

declare module '../../platform/container.ts' {
  interface Services {
    thumbnails: Thumbnails
  }
}

export const makeThumbnails = (): Thumbnails => ({
  drawn: new LRUCache({ maxSize: CACHE_BYTES, ttl: KEPT_MS, sizeCalculation: (picture) => picture.length }),
  drawing: new Map(),
  // Web processes draw them, whose processors also serve requests.
  turns: new Turns({ name: 'thumbnails', places: 2, share: 1, queue: 12, retryAfter: 2 }),
})

export interface Thumbnail {
  timeMs: number
  width: number
  format: ThumbnailFormat
}

/** Returns the file of a thumbnail, as `thumbnailOf` reads it. */
export const thumbnailFile = ({ timeMs, width, format }: Thumbnail): string =>
  `thumbnail-${timeMs}-${width}.${format === 'jpeg' ? 'jpg' : 'webp'}`

/** Returns the thumbnail that a file names; undefined for another file. */
export function thumbnailOf(file: string): Thumbnail | undefined {
  const [, timeMs, width, ending] = /^thumbnail-(\d{1,9})-(\d{2,4})\.(jpg|webp)$/.exec(file) ?? []
  return timeMs && width ? { timeMs: Number(timeMs), width: Number(width), format: ending === 'jpg' ? 'jpeg' : 'webp' } : undefined
}

interface Rendition {
  accountId: string
  width: number
  segments: [name: string, durationSec: number][]
  [column: string]: unknown
}

const RENDITIONS = `
  SELECT v.account_id AS "accountId", r.width, r.segments FROM rendition r JOIN video v ON v.id = r.video_id
  WHERE v.id = $1 AND v.status = 'COMPLETED' ORDER BY r.width`

/**
 * Returns a thumbnail, drawn from the smallest rendition that has its width. Its permit is for this file alone. Errors:
 * PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND, NOT_FOUND for a video that is not COMPLETED, SERVICE_UNAVAILABLE while too
 * many are being drawn.
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

/** Returns a thumbnail and the hash of what it is drawn from. Checks no permission. Errors: VIDEO_NOT_FOUND, NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function drawnThumbnail(videoId: string, wanted: Thumbnail): Promise<{ picture: Buffer; hash: string }> {
  const { contentKey, mediaId } = await streamsOf(videoId)
  const renditions = await query<Rendition>('thumbnail-sources', RENDITIONS, [videoId])
  const chosen = renditions.find(({ width }) => width >= wanted.width) ?? renditions.at(-1)
  const moment = chosen && momentOf(chosen.segments, wanted.timeMs / 1_000)
  if (!chosen || !moment) throw noSuchImage()
  const hash = sha256(JSON.stringify([mediaId, moment, wanted.width, wanted.format]))
    .toString('hex')
    .slice(0, 32)
  const draw = () => drawThumbnail({ videoId: mediaId, contentKey }, moment, wanted)
  return { picture: await drawnOnce(hash, chosen.accountId, draw), hash }
}

async function* parts(picture: Buffer, range?: { start: number; end: number }): AsyncGenerator<Uint8Array> {
  yield range ? picture.subarray(range.start, range.end + 1) : picture
}

/** Returns the segment of a moment and the offset in it; the end of the last one for a moment beyond it. */
function momentOf(segments: Rendition['segments'], second: number): { name: string; sequence: number; offsetSec: number } | undefined {
  let start = 0
  for (const [sequence, [name, durationSec]] of segments.entries()) {
    if (second < start + durationSec || sequence === segments.length - 1) return { name, sequence, offsetSec: second - start }
    start += durationSec
  }
}

function drawnOnce(hash: string, accountId: string, draw: () => Promise<Buffer>): Promise<Buffer> {
  const { drawn, drawing, turns } = services().thumbnails
  const kept = drawn.get(hash)
  if (kept) return Promise.resolve(kept)
  const running = drawing.get(hash)
  if (running) return running
  const begun = turns
    .run([accountId, ''], draw)
    .then((picture) => {
      drawn.set(hash, picture)
      return picture
    })
    .finally(() => drawing.delete(hash))
  drawing.set(hash, begun)
  return begun
}

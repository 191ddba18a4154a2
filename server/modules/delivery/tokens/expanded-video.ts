import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { etagOf } from '../../../platform/network/etag.ts'
import { getVisibleProcessing } from '../../transcoding/tasks/read-processing.ts'
import { collectionsOf } from '../../videos/collections/collections.ts'
import { fixtureFor } from '../../videos/fixtures.ts'
import { getVideo } from '../../videos/get.ts'
import { type FilteredPage, listFilteredVideos } from '../../videos/list/filter-list.ts'
import type { VideoPage } from '../../videos/list/list.ts'
import { spokenMatches } from '../../videos/list/spoken.ts'
import type { Metadata } from '../../videos/metadata-schema.ts'
import { VISIBLE } from '../../videos/owned-video.ts'
import type { VideoObject } from '../../videos/schema.ts'
import { noPictures, picturesOf } from '../playlists/video-pictures.ts'
import {
  type DownloadsOfVideo,
  type ExpandedVideo,
  type Expansion,
  MAX_EXPANDED_PROCESSING,
  type StorageOfVideo,
} from './expanded-schema.ts'

/**
 * Returns a video with the parts that `expand` names. Its ETag starts with the one that `If-Match` reads
 * (server/modules/videos/presenter.ts). Errors: as `getVideo`.
 */
export async function getExpandedVideo(
  ctx: AccountCtx,
  { videoId, expand }: { videoId: string; expand: readonly Expansion[] },
): Promise<{ data: ExpandedVideo; etag: string }> {
  const { video, etag } = await getVideo(ctx, { videoId })
  const [data] = await expanded(ctx, [video], expand)
  if (!data) throw new ServiceError('VIDEO_NOT_FOUND')
  return { data, etag: `${etag.slice(0, -1)}.${etagOf(JSON.stringify(data)).slice(1)}` }
}

/** Returns a page of the list with those parts. Errors: as `listFilteredVideos`, INVALID_REQUEST for too many with `processing`. */
export async function listExpandedVideos(
  ctx: AccountCtx,
  { expand, ...page }: FilteredPage & { expand: readonly Expansion[] },
): Promise<Omit<VideoPage, 'videos'> & { videos: ExpandedVideo[] }> {
  if (expand.includes('processing') && (page.limit ?? 0) > MAX_EXPANDED_PROCESSING) {
    const message = `With expand=processing, a page has at most ${MAX_EXPANDED_PROCESSING} videos.`
    throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'query', path: 'limit', message }] })
  }
  const { videos, pagination } = await listFilteredVideos(ctx, page)
  const found = await expanded(ctx, videos, expand)
  if (page.transcript === undefined) return { videos: found, pagination }
  const ids = videos.map(({ id }) => id)
  const spoken = await spokenMatches(ctx, page.transcript, ids)
  return { videos: found.map((video) => ({ ...video, spoken: spoken.get(video.id) ?? [] })), pagination }
}

/** Adds the parts. Omits a video that was deleted in the meantime. */
async function expanded(ctx: AccountCtx, videos: VideoObject[], expand: readonly Expansion[]): Promise<ExpandedVideo[]> {
  const stored = await readStored(ctx, videos, expand)
  const ids = videos.map(({ id }) => id)
  const collections = expand.includes('collections') ? await collectionsOf(ctx, ids) : undefined
  const pictures = expand.includes('pictures') ? await picturesOf(ctx, ids) : undefined
  const downloads = expand.includes('downloads') ? await downloadsOf(ctx, ids) : undefined
  const result: ExpandedVideo[] = []
  for (const video of videos) {
    const row = stored.get(video.id) ?? (fixtureFor(ctx, video.id) && NOTHING_STORED)
    if (!row) continue
    result.push({
      ...video,
      ...(expand.includes('metadata') && { metadata: row.metadata, externalId: row.externalId }),
      ...(collections && { collections: collections.get(video.id) ?? [] }),
      ...(pictures && { pictures: pictures.get(video.id) ?? noPictures() }),
      // One after another, so that a page does not take other requests' connections.
      ...(expand.includes('processing') && { processing: await getVisibleProcessing(ctx, { videoId: video.id }) }),
      ...(downloads && { downloads: downloads.get(video.id) ?? { total: 0, files: [] } }),
      ...(expand.includes('storage') && { storage: storageOf(row) }),
    })
  }
  return result
}

interface Stored {
  metadata: Metadata
  externalId: string | null
  original: string
  renditions: string
  captions: string
  pictures: string
}

const NOTHING_STORED: Stored = { metadata: {}, externalId: null, original: '0', renditions: '0', captions: '0', pictures: '0' }

const STORED = `
  SELECT video.id, metadata, external_id AS "externalId", coalesce(m.source_bytes, 0) AS original,
    coalesce(m.rendition_bytes, 0) AS renditions, caption_bytes AS captions, coalesce(m.picture_bytes, 0) + poster_bytes AS pictures
  FROM video LEFT JOIN media m ON m.id = video.media_id WHERE video.id = ANY ($1) AND video.account_id = $2 AND ${VISIBLE}`

async function readStored({ accountId }: AccountCtx, videos: VideoObject[], expand: readonly Expansion[]): Promise<Map<string, Stored>> {
  if (expand.length === 0) return new Map(videos.map(({ id }) => [id, NOTHING_STORED]))
  const rows = await query<Stored & { id: string }>('videos-expanded', STORED, [videos.map(({ id }) => id), accountId])
  return new Map(rows.map((row) => [row.id, row]))
}

function storageOf({ original, renditions, captions, pictures }: Stored): StorageOfVideo {
  const [originalBytes, renditionBytes, captionBytes, pictureBytes] = [original, renditions, captions, pictures].map(Number) as [
    number,
    number,
    number,
    number,
  ]
  const totalBytes = originalBytes + renditionBytes + captionBytes + pictureBytes
  return { originalBytes, renditionBytes, captionBytes, pictureBytes, totalBytes }
}

const DOWNLOADS = `
  SELECT d.video_id AS id, nullif(substring(d.file FROM '[^-]+$'), 'original') AS quality, substring(d.file FROM '^(.+)-') AS codec, d.downloads::float8 AS count, d.requested_at AS "requestedAt"
  FROM video_download d JOIN video ON video.id = d.video_id WHERE video.id = ANY ($1) AND account_id = $2
  ORDER BY d.file <> 'original', d.file LIKE '%-%', length(d.file) DESC, d.file DESC`

async function downloadsOf({ accountId }: AccountCtx, ids: string[]): Promise<Map<string, DownloadsOfVideo>> {
  const found = new Map<string, DownloadsOfVideo>()
  const rows = await query<{ id: string; quality: string | null; codec: 'av1' | null; count: number; requestedAt: Date }>(
    'downloads-expanded',
    DOWNLOADS,
    [ids, accountId],
  )
  for (const { id, quality, codec, count, requestedAt } of rows) {
    const { total, files } = found.get(id) ?? { total: 0, files: [] }
    const file: DownloadsOfVideo['files'][number] = {
      quality,
      codec: quality === null ? null : (codec ?? 'h264'),
      count,
      lastRequestedAt: requestedAt.toISOString(),
    }
    found.set(id, { total: total + count, files: [...files, file] })
  }
  return found
}

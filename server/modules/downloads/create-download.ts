import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { JOBS } from '../../jobs.ts'
import { db, type Tx } from '../../platform/database.ts'
import { enqueue } from '../../platform/job-queue.ts'
import { storage } from '../../platform/storage/storage.ts'
import { downloadKey } from '../videos/media-keys.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../videos/owned-video.ts'
import { mintDownload } from './download-permit.ts'
import { filenameOf } from './filename.ts'
import { renditionFile } from './rendition-file.ts'
import type { Download } from './schema.ts'

export const ORIGINAL = 'original'

/** Seconds after which a caller asks again for a file that is prepared. */
const RETRY_SEC = 3
/** Seconds after which a preparation counts as lost and is requested again. */
const LOST_SEC = 900

/**
 * Returns the URL of the original file of a video, or of a rendition as an MP4, which a job makes at the first request. Errors: FORBIDDEN,
 * VIDEO_NOT_FOUND, CONFLICT for a video that was taken down, DOWNLOADS_DISABLED unless the account permits them, VIDEO_NOT_READY before it is
 * COMPLETED, INVALID_REQUEST for a quality that it does not have; for a key also those of `requireStillPermitted`.
 */
export async function createDownload(
  ctx: AccountCtx,
  { videoId, quality }: { videoId: string; quality?: string | undefined },
): Promise<Download> {
  requireVideoManagement(ctx)
  const video = await db().$transaction(async (tx) => {
    const { title, status } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    const { downloads } = await tx.account.findUniqueOrThrow({ where: { id: ctx.accountId }, select: { downloads: true } })
    if (!downloads) throw new ServiceError('DOWNLOADS_DISABLED')
    if (status !== 'COMPLETED') throw new ServiceError('VIDEO_NOT_READY', { details: { status } })
    return { title, ...(await tx.video.findUniqueOrThrow({ where: { id: videoId }, select: { sourceName: true, sourceKey: true } })) }
  })
  if (quality === undefined) {
    await db().$transaction((tx) => noteRequest(tx, { videoId, file: ORIGINAL }))
    return ready(videoId, ORIGINAL, filenameOf(video.sourceName), await storage().stat(video.sourceKey))
  }
  const file = await renditionFile(videoId, quality)
  if (!file) throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', path: 'quality', message: NO_SUCH_QUALITY }] })
  const filename = filenameOf(`${video.title} (${quality}).mp4`)
  const stored = file.isStored ? await storage().stat(downloadKey(file.mediaId, file.name)) : undefined
  await db().$transaction(async (tx) => {
    const due = await noteRequest(tx, { videoId, file: quality, prepare: !stored })
    if (due) await enqueue(tx, JOBS['download.prepare'], { videoId, quality }, { group: ctx.accountId })
  })
  if (stored) return ready(videoId, `${quality}-${file.name}.mp4`, filename, stored)
  return { status: 'preparing', url: null, expiresAt: null, filename, sizeBytes: null, retryAfterSec: RETRY_SEC }
}

const NO_SUCH_QUALITY = 'The video has no such quality. Its `qualities` lists those that it has.'

function ready(videoId: string, file: string, filename: string, stored: { bytes: number } | undefined): Download {
  if (!stored) throw new ServiceError('SERVICE_UNAVAILABLE', { message: 'The file is not in the storage. Contact the operator.' })
  const { url, expiresAt } = mintDownload(videoId, file)
  return { status: 'ready', url, expiresAt: expiresAt.toISOString(), filename, sizeBytes: stored.bytes, retryAfterSec: null }
}

/** Records a request, which keeps the file; with `prepare` returns whether no running job prepares it. */
async function noteRequest(
  tx: Tx,
  { videoId, file, prepare = false }: { videoId: string; file: string; prepare?: boolean },
): Promise<boolean> {
  const before = await tx.$queryRaw<{ busy: boolean }[]>`
    SELECT coalesce(preparing_at > service_now() - make_interval(secs => ${LOST_SEC}), false) AS busy FROM video_download
    WHERE video_id = ${videoId} AND file = ${file} FOR UPDATE`
  const due = prepare && !before[0]?.busy
  await tx.$executeRaw`
    INSERT INTO video_download (video_id, file, requested_at, preparing_at)
    VALUES (${videoId}, ${file}, service_now(), CASE WHEN ${due} THEN service_now() END)
    ON CONFLICT (video_id, file) DO UPDATE SET requested_at = excluded.requested_at,
      preparing_at = coalesce(excluded.preparing_at, video_download.preparing_at)`
  return due
}

import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { type ContentAccess, requireContentAccess } from '../../audit/content-access.ts'
import { accountLimit } from '../../identity/accounts/limit.ts'
import { type Codec, renditionName } from '../../videos/codecs-schema.ts'
import { downloadKey } from '../../videos/media-keys.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../../videos/owned-video.ts'
import { mintDownload } from './download-permit.ts'
import { mp4Name, originalName } from './filename.ts'
import { LOST_SEC } from './make-room.ts'
import { type RenditionFile, renditionFile } from './rendition-file.ts'
import type { Download } from './schema.ts'

export const ORIGINAL = 'original'

/** Returns an original's name in its URL, which changes when the source is replaced. */
export const originalFile = (sourceKey: string): string => `${ORIGINAL}-${sha256(sourceKey).toString('hex').slice(0, 32)}`

/** Seconds after which a caller asks again for a file being prepared. */
const RETRY_SEC = 3
/** Seconds that a file that could not be prepared is refused. */
const REFUSED_SEC = 600

/**
 * Returns the URL of a video's original file, or of a rendition as an MP4, which a job creates on the first request. Errors: FORBIDDEN,
 * VIDEO_NOT_FOUND, CONFLICT for a video that was taken down, DOWNLOADS_DISABLED unless the account allows them, VIDEO_NOT_READY before it
 * is COMPLETED, INVALID_REQUEST for a quality that it does not have, DOWNLOAD_TOO_LARGE for an MP4 that alone exceeds the account's limit,
 * SERVICE_UNAVAILABLE for one that could not be created; for a key, also those of `requireStillPermitted`.
 */
export async function createDownload(
  ctx: AccountCtx,
  { videoId, quality, codec = 'h264' }: { videoId: string; quality?: string | undefined; codec?: Codec | undefined },
): Promise<Download> {
  requireVideoManagement(ctx)
  const access = requireContentAccess(ctx, 'Support staff cannot open files.')
  const video = await db().$transaction(async (tx) => {
    const { title, status, media } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    const { downloads } = await tx.account.findUniqueOrThrow({ where: { id: ctx.accountId }, select: { downloads: true } })
    if (!downloads) throw new ServiceError('DOWNLOADS_DISABLED')
    if (status !== 'COMPLETED' || !media) throw new ServiceError('VIDEO_NOT_READY', { details: { status } })
    return { title, sourceName: media.sourceName, sourceKey: media.sourceKey }
  })
  if (quality === undefined) {
    await db().$transaction((tx) => noteRequest(tx, { videoId, file: ORIGINAL }))
    const stored = await storage().stat(video.sourceKey)
    return ready(access, videoId, originalFile(video.sourceKey), await originalName(video, stored?.bytes ?? 0), stored)
  }
  const file = await renditionFile(videoId, { quality, codec })
  if (!file) {
    const missing = codec === 'h264' ? { path: 'quality', message: NO_SUCH_QUALITY } : { path: 'codec', message: NO_SUCH_CODEC }
    throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', ...missing }] })
  }
  const key = renditionName({ quality, codec })
  const filename = mp4Name(video.title, key)
  const stored = file.isStored ? await storage().stat(downloadKey(file.mediaId, file.name)) : undefined
  if (!stored) await requireSize(ctx, file)
  await db().$transaction(async (tx) => {
    const due = await noteRequest(tx, { videoId, file: key, prepare: !stored })
    if (due) await enqueue(tx, JOBS['download.prepare'], { videoId, quality, codec }, { group: ctx.accountId })
  })
  if (stored) return ready(access, videoId, `${key}-${file.name}.mp4`, filename, stored)
  return { status: 'preparing', url: null, expiresAt: null, filename, sizeBytes: null, retryAfterSec: RETRY_SEC }
}

/** Refuses an MP4 that a job has measured and that alone exceeds the account's limit. Errors: DOWNLOAD_TOO_LARGE. */
async function requireSize({ accountId }: AccountCtx, { pendingBytes }: RenditionFile): Promise<void> {
  if (pendingBytes === undefined) return
  const limitBytes = await accountLimit(accountId, 'downloadBytes')
  if (pendingBytes > limitBytes) throw new ServiceError('DOWNLOAD_TOO_LARGE', { details: { sizeBytes: pendingBytes, limitBytes } })
}

const NO_SUCH_QUALITY = 'This video has no such quality. Choose one from its `qualities`.'
const NO_SUCH_CODEC = 'This video has no rendition in this quality and codec. Omit `codec` for H.264, which every video has.'

function ready(access: ContentAccess, videoId: string, file: string, filename: string, stored: { bytes: number } | undefined): Download {
  if (!stored) throw new ServiceError('SERVICE_UNAVAILABLE', { message: 'The file is missing from storage. Contact the operator.' })
  const { url, expiresAt } = mintDownload(access, videoId, file)
  return { status: 'ready', url, expiresAt: expiresAt.toISOString(), filename, sizeBytes: stored.bytes, retryAfterSec: null }
}

/**
 * Records a request, which keeps the file. With `prepare`, returns whether to enqueue a job. Errors: SERVICE_UNAVAILABLE after a failure.
 */
async function noteRequest(
  tx: Tx,
  { videoId, file, prepare = false }: { videoId: string; file: string; prepare?: boolean },
): Promise<boolean> {
  // Without its own row yet, the video's row orders concurrent requests.
  await tx.$queryRaw`SELECT 1 FROM video WHERE id = ${videoId} FOR UPDATE`
  const [before] = await tx.$queryRaw<{ isPreparing: boolean; hasFailed: boolean }[]>`
    SELECT coalesce(preparing_at > service_now() - make_interval(secs => ${LOST_SEC}), false) AS "isPreparing",
      coalesce(failed_at > service_now() - make_interval(secs => ${REFUSED_SEC}), false) AS "hasFailed"
    FROM video_download WHERE video_id = ${videoId} AND file = ${file}`
  if (prepare && before?.hasFailed)
    throw new ServiceError('SERVICE_UNAVAILABLE', {
      message: 'We could not create the MP4. The operator can find the reason in the log.',
      retryAfter: REFUSED_SEC,
    })
  const due = prepare && !before?.isPreparing
  await tx.$executeRaw`
    INSERT INTO video_download (video_id, file, requested_at, preparing_at)
    VALUES (${videoId}, ${file}, service_now(), CASE WHEN ${due} THEN service_now() END)
    ON CONFLICT (video_id, file) DO UPDATE SET requested_at = excluded.requested_at, failed_at = NULL,
      preparing_at = coalesce(excluded.preparing_at, video_download.preparing_at)`
  return due
}

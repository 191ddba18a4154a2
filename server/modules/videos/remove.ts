import type { AccountCtx, AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { JOBS } from '../../jobs.ts'
import { serviceNow } from '../../platform/database/clock.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { inShrinkingSlices } from '../../platform/database/shrinking-slices.ts'
import { enqueue } from '../../platform/job-queue.ts'
import { recordDeletions } from '../audit/receipts/deletions.ts'
import { record } from '../audit/record.ts'
import { accountLimit } from '../identity/accounts/limit.ts'
import { dropOfUnavailable } from './drop-replacement.ts'
import { orExternalIdInUse, requireFreeExternalId } from './edit-video.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import { type RenderedVideo, readVersion, requireMatch } from './presenter.ts'
import { queueMedia, unqueueMedia } from './queue-media.ts'
import { canBecome } from './state.ts'
import { appendVideoLog, emitLifeEvent } from './video-log.ts'

/**
 * Deletes a video: the API, tokens, playlists and keys refuse it at once. Its media stays for 7 days, during which `restoreVideo` can
 * restore it; media of a video that was taken down is kept. Drops media that was to replace its own. Returns when it was deleted. Repeating
 * the call changes nothing. Errors: FORBIDDEN, VIDEO_NOT_FOUND, PRECONDITION_FAILED unless it matches `ifMatch`; for a key, also those of
 * `requireStillPermitted`.
 */
export async function removeVideo(
  ctx: AccountCtx,
  { videoId, ifMatch }: { videoId: string; ifMatch?: string | undefined },
): Promise<{ deletedAt: Date }> {
  requireVideoManagement(ctx)
  return db().$transaction(async (tx) => {
    const { title, status, deletedAt } = await getOwnedVideoForUpdate(tx, ctx, videoId, { held: true, deleted: true })
    if (deletedAt && isRestorable(deletedAt)) return { deletedAt }
    if (deletedAt) throw new ServiceError('VIDEO_NOT_FOUND')
    await requireMatch(tx, videoId, ifMatch)
    const [deleted] = await tx.$queryRaw<{ at: Date }[]>`
      UPDATE video SET deleted_at = service_now() WHERE id = ${videoId} AND account_id = ${ctx.accountId} RETURNING deleted_at AS at`
    await dropOfUnavailable(tx, { accountId: ctx.accountId, videoId })
    await endTranscoding(tx, videoId)
    await record(tx, ctx, { action: 'video.remove', subject: videoId, before: { title, status } })
    await emitLifeEvent(tx, ctx, videoId, 'video.deleted')
    return { deletedAt: deleted?.at as Date }
  })
}

/** Ends a deleted video's transcoding: removes its tasks, and what it had to play. */
async function endTranscoding(tx: Tx, videoId: string): Promise<void> {
  const queued = await tx.transcodeQueue.findMany({ where: { media: { videoId } }, select: { mediaId: true } })
  const ids = queued.map(({ mediaId }) => mediaId)
  await unqueueMedia(tx, ids)
  await tx.media.updateMany({ where: { id: { in: ids }, status: 'PROCESSING' }, data: { playableAt: null } })
  for (const id of ids) await tx.$executeRaw`SELECT pg_notify('reelgate', ${`media-gone:${id}`})`
}

/** How many days a deleted video can be restored. After that, its media is purged. */
export const RESTORE_DAYS = 7

const DAY_MS = 86_400_000

/** Returns the deletion time after which videos can still be restored. */
export const restorableSince = () => new Date(serviceNow() - RESTORE_DAYS * DAY_MS)

/** Returns until when a video deleted at this time can be restored. */
export const restorableUntil = (deletedAt: Date) => new Date(deletedAt.getTime() + RESTORE_DAYS * DAY_MS)

const isRestorable = (deletedAt: Date): boolean => deletedAt > restorableSince()

/**
 * Restores a deleted video unchanged and returns it. A video that is taken down stays so; one that is not deleted is returned as it is.
 * Errors: FORBIDDEN, VIDEO_NOT_FOUND past its 7 days, TOO_MANY_ATTEMPTS if it needs transcoding and the account has too many videos
 * waiting, EXTERNAL_ID_IN_USE if another video has taken its external ID; for a key, also those of `requireStillPermitted`.
 */
export async function restoreVideo(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<RenderedVideo> {
  requireVideoManagement(ctx)
  const restored = db().$transaction(async (tx) => {
    const { title, status, deletedAt, externalId, media } = await getOwnedVideoForUpdate(tx, ctx, videoId, { deleted: true, held: true })
    if (!deletedAt) return readVersion(tx, videoId)
    if (!isRestorable(deletedAt)) throw new ServiceError('VIDEO_NOT_FOUND')
    if (externalId) await requireFreeExternalId(tx, ctx, externalId)
    // Deleting removed it from the transcoding queue; restoring queues it again.
    if (status === 'PENDING' || status === 'PROCESSING') await requireQueueSpace(tx, ctx.accountId)
    await tx.video.update({ where: { id: videoId, accountId: ctx.accountId }, data: { deletedAt: null } })
    if (media && (status === 'PENDING' || status === 'PROCESSING')) await queueMedia(tx, { id: media.id, accountId: ctx.accountId })
    await record(tx, ctx, { action: 'video.restore', subject: videoId, after: { title } })
    await emitLifeEvent(tx, ctx, videoId, 'video.restored')
    return readVersion(tx, videoId)
  })
  return restored.catch(orExternalIdInUse)
}

/** Most videos purged per transaction. */
const BATCH = 250

/**
 * Deletes the rows of videos deleted more than 7 days ago, whose deletion records are the queue of `media.remove`. Keeps a video that was
 * taken down. Runs as the job `video.purge`. Returns the number of videos.
 */
export async function purgeVideos(signal?: AbortSignal): Promise<number> {
  return inShrinkingSlices(BATCH, purgeSome, signal)
}

const purgeSome = (most: number): Promise<number> =>
  db().$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM video WHERE deleted_at <= service_now() - make_interval(days => ${RESTORE_DAYS}) AND taken_down_at IS NULL LIMIT ${most} FOR UPDATE SKIP LOCKED`
    if (rows.length === 0) return 0
    const ids = rows.map(({ id }) => id)
    await recordDeletions(tx, ids, { titles: true })
    await tx.$executeRaw`DELETE FROM video WHERE id = ANY (${ids})`
    await enqueue(tx, JOBS['media.remove'], {})
    return ids.length
  })

/**
 * Queues a FAILED video for transcoding: FAILED → PENDING, last in the queue. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT if it is not
 * FAILED (another member may have retried it), TOO_MANY_ATTEMPTS if the account has too many videos waiting.
 */
export async function retryVideo(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    const { status, media } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    if (!media || !canBecome(status, 'PENDING') || status === 'PROCESSING')
      throw new ServiceError('CONFLICT', { message: 'You can retry only failed videos.', details: { status } })
    await requireQueueSpace(tx, ctx.accountId)
    await tx.video.update({ where: { id: videoId, accountId: ctx.accountId }, data: { retries: { increment: 1 } } })
    await tx.media.update({
      where: { id: media.id },
      data: { status: 'PENDING', failureReason: null, progress: 0, etaSec: null, startedAt: null, attempts: 0 },
    })
    await queueMedia(tx, { id: media.id, accountId: ctx.accountId })
    await appendVideoLog(tx, videoId, 'retry', 'Retried from the dashboard.')
    await record(tx, ctx, {
      action: 'video.retry',
      subject: videoId,
      before: { status, failureReason: media.failureReason },
      after: { status: 'PENDING' },
    })
  })
}

/**
 * Throws TOO_MANY_ATTEMPTS unless the transcoding queue accepts one more video of the account. Unfinished uploads count, because each
 * becomes a video. Locks the account's row, so that concurrent calls count each other.
 */
async function requireQueueSpace(tx: Tx, accountId: AccountId): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
  const most = await accountLimit(accountId, 'pendingVideos', tx)
  const [queued, uploads] = [await tx.transcodeQueue.count({ where: { accountId } }), await tx.upload.count({ where: { accountId } })]
  refuseLongQueue({ queued, uploads, most })
}

/** The same check for counts read under the lock of the account's row. */
export function refuseLongQueue({ queued, uploads, most }: { queued: number; uploads: number; most: number }): void {
  if (queued + uploads < most) return
  const coming = uploads > 0 ? ` and ${uploads} unfinished ${uploads === 1 ? 'upload' : 'uploads'}` : ''
  const message = `This account has ${queued} ${queued === 1 ? 'video' : 'videos'} waiting to be transcoded${coming}, and its limit is ${most}. Try again when one of them has finished, or delete one.`
  throw new ServiceError('TOO_MANY_ATTEMPTS', { message, details: { limit: 'pendingVideos' }, retryAfter: 60 })
}

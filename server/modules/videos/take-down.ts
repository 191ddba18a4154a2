import { type AccountCtx, type AccountId, requireStaff } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { mailOwners } from '../identity/accounts/mail-owners.ts'
import { enqueueCdnPurge } from './cdn-purge.ts'
import { dropOfUnavailable } from './drop-replacement.ts'

interface TakeDownInput {
  videoId: string
  reason: string
}

/**
 * Takes a video down for a stated reason, for the operator and support staff: the API, tokens, playlists, keys and pictures refuse it
 * everywhere. Its owner sees the reason and cannot undo it. Its media is kept until `liftTakeDown`, even if the video is deleted. Errors:
 * FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT if it is already taken down.
 */
export async function takeDown(ctx: AccountCtx, { videoId, reason }: TakeDownInput): Promise<void> {
  requireStaff(ctx)
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    const [video] = await tx.$queryRaw<{ title: string; takenDown: boolean }[]>`
      SELECT title, taken_down_at IS NOT NULL AS "takenDown" FROM video WHERE id = ${videoId} AND account_id = ${accountId} FOR UPDATE`
    if (!video) throw new ServiceError('VIDEO_NOT_FOUND', { message: 'This account has no such video.' })
    if (video.takenDown) throw new ServiceError('CONFLICT', { message: 'This video is already taken down.' })
    await tx.$executeRaw`
      UPDATE video SET taken_down_at = service_clock(), takedown_reason = ${reason} WHERE id = ${videoId} AND account_id = ${accountId}`
    await dropOfUnavailable(tx, { accountId, videoId })
    const media = await tx.media.findMany({ where: { videoId }, select: { id: true } })
    await enqueueCdnPurge(
      tx,
      media.map(({ id }) => id),
    )
    await record(tx, ctx, { action: 'support.takedown', subject: videoId, after: { title: video.title, reason } })
    await mailOwners(tx, accountId, (name) => ({
      subject: 'Your video was taken down',
      text: `The video “${video.title}” (${videoId}) of the account “${name}” was taken down.\n\nReason: ${reason}\n\nIt no longer plays anywhere. Only support can restore it.`,
    }))
  })
}

/**
 * Lifts a takedown for a stated reason, for the operator and support staff. A video that its owner deleted in the meantime stays deleted
 * and is purged as usual. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT if it is not taken down.
 */
export async function liftTakeDown(ctx: AccountCtx, { videoId, reason }: TakeDownInput): Promise<void> {
  requireStaff(ctx)
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    const [video] = await tx.$queryRaw<{ title: string; since: Date | null; reason: string | null }[]>`
      SELECT title, taken_down_at AS since, takedown_reason AS reason FROM video WHERE id = ${videoId} AND account_id = ${accountId} FOR UPDATE`
    if (!video) throw new ServiceError('VIDEO_NOT_FOUND', { message: 'This account has no such video.' })
    if (!video.since) throw new ServiceError('CONFLICT', { message: 'This video is not taken down.' })
    await tx.$executeRaw`UPDATE video SET taken_down_at = NULL, takedown_reason = NULL WHERE id = ${videoId} AND account_id = ${accountId}`
    const before = { since: video.since.toISOString(), reason: video.reason }
    await record(tx, ctx, { action: 'support.putback', subject: videoId, before, after: { title: video.title, reason } })
    await mailOwners(tx, accountId, (name) => ({
      subject: 'Your video was restored',
      text: `The video “${video.title}” (${videoId}) of the account “${name}” was restored and is available again.\n\nReason: ${reason}`,
    }))
  })
}

/** Returns the context in which the operator acts on a video: its account's. Errors: VIDEO_NOT_FOUND. */
export async function operatorVideo(videoId: string): Promise<AccountCtx> {
  const video = await db().video.findUnique({ where: { id: videoId }, select: { accountId: true } })
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND', { message: `No video has the ID “${videoId}”.` })
  return { accountId: video.accountId as AccountId, actor: { kind: 'operator' }, requestId: 'operator' }
}

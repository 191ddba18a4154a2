import { type AccountCtx, requireStaff } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { mailOwners } from '../identity/accounts/mail-owners.ts'
import type { TakeDownInput } from './take-down.ts'

/**
 * Lifts a take-down, for a stated reason, for the operator and support staff. A video that its owner deleted meanwhile stays
 * deleted and is purged as usual. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT when it is not taken down.
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
      text: `The video “${video.title}” (${videoId}) of the account “${name}” was restored and is no longer taken down.\n\nReason: ${reason}`,
    }))
  })
}

import { type AccountCtx, actorName, requireStaff } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { sendMail } from '../../platform/mail.ts'
import { record } from '../audit/record.ts'
import type { ResolveQuotaRequestInput } from './schema.ts'

/**
 * Decides an account's request for a higher quota, for operators and support staff: `granted` tokens a day, from the next token on, or null
 * to decline. Sends the requester an e-mail if mail is configured. Errors: FORBIDDEN for other actors; NOT_FOUND; CONFLICT when decided.
 */
export async function resolveQuotaRequest(ctx: AccountCtx, { requestId, granted, answer }: ResolveQuotaRequestInput): Promise<void> {
  requireStaff(ctx)
  const { accountId } = ctx
  const requester = await db().$transaction(async (tx) => {
    const request = await tx.quotaRequest.findFirst({
      where: { id: requestId, accountId },
      include: { key: { select: { dailyQuota: true } } },
    })
    if (!request) throw new ServiceError('NOT_FOUND', { message: 'No such request exists in this account.' })
    const changed = await tx.$executeRaw`
      UPDATE quota_request SET status = ${granted === null ? 'DECLINED' : 'GRANTED'}::"QuotaRequestStatus", granted = ${granted}, answer = ${answer},
        answered_by = ${actorName(ctx.actor)}, answered_at = service_now()
      WHERE id = ${requestId} AND account_id = ${accountId} AND status = 'OPEN'`
    if (changed === 0) throw new ServiceError('CONFLICT', { message: 'This request has already been decided.' })
    if (granted !== null) await tx.apiKey.update({ where: { id: request.keyId, accountId }, data: { dailyQuota: granted } })
    await record(tx, ctx, {
      action: 'billing.quota.answer',
      subject: request.keyId,
      before: { dailyQuota: request.key.dailyQuota },
      after: { wanted: request.wanted, granted, answer },
    })
    return tx.user.findUnique({ where: { id: request.askedBy }, select: { email: true } })
  })
  if (!requester) return
  const verdict =
    granted === null
      ? 'Your request for a higher quota was declined.'
      : `Your key can now issue ${granted.toLocaleString('en-US')} playback tokens per day.`
  void sendMail({ to: requester.email, subject: 'Your request for a higher quota', text: `${verdict}\n\n${answer}\n` })
}

import { type AccountCtx, actorName, requireStaff } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { record } from '../../audit/record.ts'
import { inTransaction, type TransactionScope } from '../../billing/transaction-scope.ts'
import { enqueueMail } from '../../identity/accounts/mail-owners.ts'
import type { ResolveQuotaRequestInput } from './schema.ts'
import { setDailyQuota } from './set-daily-quota.ts'

/**
 * Decides an account's request for a higher quota, for operators and support staff: `approvedQuota` tokens per day, from the next token on, or null
 * to decline. Enqueues an e-mail to the requester if mail is configured. Errors: FORBIDDEN for other actors; NOT_FOUND; CONFLICT when decided.
 */
export async function resolveQuotaRequest(
  ctx: AccountCtx,
  { requestId, approvedQuota, resolutionNote }: ResolveQuotaRequestInput,
  within: TransactionScope = {},
): Promise<void> {
  requireStaff(ctx)
  const { accountId } = ctx
  await inTransaction(within, async (tx) => {
    const request = await tx.quotaRequest.findFirst({
      where: { id: requestId, accountId },
      include: { key: { select: { dailyQuota: true } } },
    })
    if (!request) throw new ServiceError('NOT_FOUND', { message: 'No such request exists in this account.' })
    const changed = await tx.$executeRaw`
      UPDATE quota_request SET status = ${approvedQuota === null ? 'DECLINED' : 'APPROVED'}::"QuotaRequestStatus", approved_quota = ${approvedQuota},
        resolution_note = ${resolutionNote},
        resolved_by = ${actorName(ctx.actor)}, resolved_at = service_now()
      WHERE id = ${requestId} AND account_id = ${accountId} AND status = 'OPEN'`
    if (changed === 0) throw new ServiceError('CONFLICT', { message: 'This request has already been decided.' })
    if (approvedQuota !== null) await setDailyQuota(tx, accountId, request.keyId, approvedQuota)
    await record(tx, ctx, {
      action: 'billing.quota.resolve',
      subject: request.keyId,
      before: { dailyQuota: request.key.dailyQuota },
      after: { requestedQuota: request.requestedQuota, approvedQuota, resolutionNote },
    })
    const requester = await tx.user.findUnique({ where: { id: request.requestedBy }, select: { email: true } })
    if (!requester) return
    const verdict =
      approvedQuota === null
        ? 'Your request for a higher quota was declined.'
        : `Your key can now issue ${approvedQuota.toLocaleString('en-US')} playback tokens per day.`
    await enqueueMail(tx, requester.email, { subject: 'Your request for a higher quota', text: `${verdict}\n\n${resolutionNote}` })
  })
}

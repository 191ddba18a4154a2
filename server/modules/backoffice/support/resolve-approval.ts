import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { resolveQuotaRequest } from '../../access/quotas/quota-requests.ts'
import { record } from '../../audit/record.ts'
import { correctBalance, giveCredit } from '../../billing/credit.ts'
import { creditsText } from '../../billing/price-schema.ts'
import { setTier } from '../../billing/set-limits.ts'
import { applyLimit } from './account-limits.ts'
import { applyQuota } from './account-quota.ts'
import { changeOf, factsOf, type Proposed } from './approvals.ts'
import { refuseOwnAccount } from './refuse-own.ts'
import { requireAccount } from './require-account.ts'
import type { ResolveApprovalInput } from './schema.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

interface Proposal {
  id: string
  credits: bigint
  change: unknown
  reason: string
  proposedBy: string
  proposedEmail: string
}

/**
 * Approves or declines another staff member's proposal, and applies an approved one once, in the same transaction. Returns the new balance
 * after a change of it, else null. Errors: NOT_FOUND; FORBIDDEN for one's own proposal or account; CONFLICT when the proposal is resolved or
 * has expired, its proposer may no longer make it, the value that it replaces has changed, or the balance is lower than the amount.
 */
export async function resolveApproval(staff: StaffCtx, input: ResolveApprovalInput): Promise<{ balance: string | null }> {
  const { accountId, approvalId, approve, declineReason } = input
  return db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    const proposal = await markResolved(tx, staff, input)
    const change = changeOf(proposal)
    const facts = { ...factsOf(change), proposedBy: proposal.proposedEmail, reason: proposal.reason }
    if (!approve) {
      await record(tx, ctx, {
        action: 'support.decline',
        subject: approvalId,
        before: facts,
        after: { declineReason: declineReason ?? null },
      })
      return { balance: null }
    }
    await requireProposerPermitted(tx, ctx, proposal)
    await record(tx, ctx, { action: 'support.approval', subject: approvalId, after: facts })
    return { balance: await apply(tx, ctx, { id: approvalId, change, reason: proposal.reason }) }
  })
}

/** Applies an approved change. Returns the new balance after a change of it, else null. */
async function apply(
  tx: Tx,
  ctx: AccountCtx,
  { id, change, reason }: { id: string; change: Proposed; reason: string },
): Promise<string | null> {
  const within = { on: tx }
  if (change.kind === 'balance') {
    // The ledger accepts a reference once, which also prevents applying the proposal twice.
    const once = { on: tx, reference: id }
    const moved =
      change.credits > 0n
        ? await giveCredit(ctx, { credits: change.credits, reason }, once)
        : await correctBalance(ctx, { credits: -change.credits, direction: 'take', reason }, once)
    return creditsText(moved.balance)
  }
  if (change.kind === 'quota') await applyQuota(tx, ctx, { ...change, reason })
  else if (change.kind === 'limit') await applyLimit(tx, ctx, { ...change, reason })
  else if (change.kind === 'tier') await setTier(ctx, { ...change, reason }, within)
  else await resolveQuotaRequest(ctx, { requestId: change.requestId, approvedQuota: change.dailyQuota, resolutionNote: reason }, within)
  return null
}

/** Marks the proposal as resolved. The condition of the UPDATE decides: of two concurrent decisions, the second finds it resolved. */
async function markResolved(
  tx: Tx,
  { staff }: StaffCtx,
  { accountId, approvalId, approve, declineReason }: ResolveApprovalInput,
): Promise<Proposal> {
  const [row] = await tx.$queryRaw<Proposal[]>`
    UPDATE support_approval SET status = ${approve ? 'APPROVED' : 'DECLINED'}, decline_reason = ${declineReason ?? null}, resolved_by = ${staff.userId},
      resolved_at = service_clock()
    WHERE id = ${approvalId} AND account_id = ${accountId} AND status = 'PENDING' AND expires_at > service_clock() AND proposed_by <> ${staff.userId}
    RETURNING id, credits, change, reason, proposed_by AS "proposedBy", proposed_email AS "proposedEmail"`
  if (row) return row
  const there = await tx.supportApproval.findFirst({ where: { id: approvalId, accountId }, select: { status: true, proposedBy: true } })
  if (!there) throw new ServiceError('NOT_FOUND', { message: 'No such proposal exists in this account.' })
  if (there.status !== 'PENDING')
    throw new ServiceError('CONFLICT', { message: 'Someone has already approved or declined this proposal. Reload the page.' })
  if (there.proposedBy === staff.userId)
    throw new ServiceError('FORBIDDEN', { message: 'You made this proposal. Another staff member must approve or decline it.' })
  throw new ServiceError('CONFLICT', { message: 'This proposal has expired. Submit a new one.' })
}

/** Refuses a proposal whose proposer has lost the role or joined the account. */
async function requireProposerPermitted(
  tx: Tx,
  { accountId, requestId }: AccountCtx,
  { proposedBy: userId, proposedEmail: email }: Proposal,
) {
  const proposer = { staff: { userId, email } as StaffCtx['staff'], requestId }
  try {
    await requireCurrentStaff(tx, proposer)
    await refuseOwnAccount(tx, proposer, accountId)
  } catch (error) {
    const message = `${email} can no longer make this change, so you cannot approve it. Decline the proposal.`
    throw new ServiceError('CONFLICT', { message, cause: error })
  }
}

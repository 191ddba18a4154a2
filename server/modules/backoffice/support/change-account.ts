import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { resolveQuotaRequest } from '../../access/quotas/quota-requests.ts'
import { setTier } from '../../billing/set-limits.ts'
import { restoreAccount, suspendAccount } from '../../identity/accounts/delete-account.ts'
import { endSessionsOf, restorePerson, suspendPerson } from '../../identity/sessions/suspend-user.ts'
import { liftTakeDown, takeDown } from '../../videos/take-down.ts'
import { propose, type Waits } from './approvals.ts'
import { maySetPaidAlone, maySetQuotaAlone, requireAccount } from './require-account.ts'
import type { ChangeTierInput, PersonOfAccountInput, SupportResolveQuotaRequestInput, SuspendInput, TakeDownInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Sets an account's tier for a stated reason, effective with the next token. The paid tier becomes a proposal instead, which is returned,
 * where it spends a balance beyond the bounds of `maySetPaidAlone`. Errors: NOT_FOUND, CONFLICT when it is not the one `expected`.
 */
export async function changeTier(staff: StaffCtx, { accountId, tier, reason, expected }: ChangeTierInput): Promise<Waits | null> {
  return db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    const account = await tx.account.findUniqueOrThrow({ where: { id: accountId }, select: { tier: true } })
    if (tier === 'PAID' && account.tier === 'FREE' && expected !== 'PAID' && !(await maySetPaidAlone(tx, accountId)))
      return propose(tx, ctx, staff, { kind: 'tier', tier, expected: 'FREE' }, reason)
    await setTier(ctx, { tier, reason, expected }, { on: tx })
    return null
  })
}

/**
 * Suspends or restores an account for a stated reason. Errors: NOT_FOUND; FORBIDDEN for one's own account; CONFLICT when the state
 * is already so.
 */
export async function setSuspended(staff: StaffCtx, { accountId, suspended, reason }: SuspendInput): Promise<void> {
  const ctx = await requireAccount(staff, accountId)
  await (suspended ? suspendAccount : restoreAccount)(ctx, { reason })
}

/**
 * Takes a video down, or lifts the take-down, for a stated reason. Errors: NOT_FOUND, VIDEO_NOT_FOUND; FORBIDDEN for one's own
 * account; CONFLICT.
 */
export async function setTakenDown(staff: StaffCtx, { accountId, videoId, takenDown, reason }: TakeDownInput): Promise<void> {
  const ctx = await requireAccount(staff, accountId)
  await (takenDown ? takeDown : liftTakeDown)(ctx, { videoId, reason })
}

/**
 * Approves or declines a request for a higher quota. Beyond the bounds of `maySetQuotaAlone` the approval becomes a proposal instead, which is
 * returned; the request stays open. Errors: NOT_FOUND, CONFLICT when it was decided before.
 */
export async function resolveQuotaRequestAsStaff(
  staff: StaffCtx,
  { accountId, ...decision }: SupportResolveQuotaRequestInput,
): Promise<Waits | null> {
  const { requestId, approvedQuota: dailyQuota, resolutionNote } = decision
  return db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    const where = { id: requestId, accountId, status: 'OPEN' } as const
    const request = await tx.quotaRequest.findFirst({ where, select: { keyId: true, key: { select: { name: true } } } })
    if (dailyQuota === null || !request || (await maySetQuotaAlone(tx, { accountId, keyId: request.keyId, dailyQuota }))) {
      await resolveQuotaRequest(ctx, decision, { on: tx })
      return null
    }
    return propose(tx, ctx, staff, { kind: 'quota-request', requestId, keyName: request.key.name, dailyQuota }, resolutionNote)
  })
}

const ACTIONS = { suspend: suspendPerson, restore: restorePerson, 'end-sessions': endSessionsOf } as const

/**
 * Suspends or restores a member of an account, or ends their sessions, for a stated reason. Errors: NOT_FOUND for no such member;
 * FORBIDDEN for users who share an account with the member of staff and for support staff, who are subject to the operator's
 * command; CONFLICT when the state is already so.
 */
export async function changePerson(staff: StaffCtx, { accountId, userId, what, reason }: PersonOfAccountInput): Promise<void> {
  const { actor } = await requireAccount(staff, accountId)
  const member = await db().membership.count({ where: { accountId, userId } })
  if (member === 0) throw new ServiceError('NOT_FOUND', { message: 'This account has no such member.' })
  const [bars] = await db().$queryRaw<[{ shared: boolean; staff: boolean }]>`
    SELECT EXISTS (SELECT 1 FROM membership a JOIN membership b USING (account_id)
        WHERE a.user_id = ${userId} AND b.user_id = ${staff.staff.userId}) AS shared,
      EXISTS (SELECT 1 FROM staff_grant WHERE user_id = ${userId} AND revoked_at IS NULL) AS staff`
  if (bars.shared)
    throw new ServiceError('FORBIDDEN', { message: 'You share an account with this user. Another member of staff must do this.' })
  if (bars.staff) throw new ServiceError('FORBIDDEN', { message: 'This user is support staff. Only the operator command can do this.' })
  await ACTIONS[what]({ actor }, { userId, reason })
}

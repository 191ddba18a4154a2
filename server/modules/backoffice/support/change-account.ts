import { db } from '../../../platform/database/database.ts'
import { resolveQuotaRequest } from '../../access/quotas/resolve-quota-request.ts'
import { setTier } from '../../billing/set-tier.ts'
import { restoreAccount } from '../../identity/accounts/restore-account.ts'
import { suspendAccount } from '../../identity/accounts/suspend-account.ts'
import { liftTakeDown } from '../../videos/lift-take-down.ts'
import { takeDown } from '../../videos/take-down.ts'
import { maySetPaidAlone, maySetQuotaAlone } from './alone.ts'
import { propose, type Waits } from './proposals.ts'
import { requireAccount } from './require-account.ts'
import type { ChangeTierInput, SupportResolveQuotaRequestInput, SuspendInput, TakeDownInput } from './schema.ts'
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

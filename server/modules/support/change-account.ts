import { restoreAccount } from '../accounts/restore-account.ts'
import { suspendAccount } from '../accounts/suspend-account.ts'
import { setTier } from '../billing/set-tier.ts'
import { resolveQuotaRequest } from '../quotas/resolve-quota-request.ts'
import { liftTakeDown } from '../videos/lift-take-down.ts'
import { takeDown } from '../videos/take-down.ts'
import { requireAccount } from './require-account.ts'
import type { ChangeTierInput, SupportResolveQuotaRequestInput, SuspendInput, TakeDownInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Sets an account's tier for a stated reason, effective with the next token. Errors: NOT_FOUND, CONFLICT when it is not the one
 * `expected`.
 */
export async function changeTier(staff: StaffCtx, { accountId, tier, reason, expected }: ChangeTierInput): Promise<void> {
  await setTier(await requireAccount(staff, accountId), { tier, reason, expected })
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

/** Approves or declines a request for a higher quota. Errors: NOT_FOUND, CONFLICT when it was decided before. */
export async function resolveQuotaRequestAsStaff(
  staff: StaffCtx,
  { accountId, ...decision }: SupportResolveQuotaRequestInput,
): Promise<void> {
  await resolveQuotaRequest(await requireAccount(staff, accountId), decision)
}

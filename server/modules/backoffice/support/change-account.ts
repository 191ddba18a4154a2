import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { disableKeyIn, enableKeyIn } from '../../access/keys/end-key.ts'
import { resolveQuotaRequest } from '../../access/quotas/quota-requests.ts'
import { actorOf } from '../../audit/read.ts'
import { setTier } from '../../billing/set-limits.ts'
import { restoreAccount, suspendAccount } from '../../identity/accounts/delete-account.ts'
import { mailOwners } from '../../identity/accounts/mail-owners.ts'
import { endSessionsOf, restorePerson, suspendPerson } from '../../identity/sessions/suspend-user.ts'
import { liftTakeDown, takeDown } from '../../videos/take-down.ts'
import { propose, type Waits } from './approvals.ts'
import { maySetPaidAlone, maySetQuotaAlone, requireAccount } from './require-account.ts'
import type {
  ChangeTierInput,
  KeyDisabledInput,
  PersonOfAccountInput,
  SupportResolveQuotaRequestInput,
  SuspendInput,
  TakeDownInput,
} from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Sets an account's tier for a stated reason, effective with the next token. Beyond the bounds of `maySetPaidAlone` it proposes the paid
 * tier instead, and returns the proposal. Errors: NOT_FOUND, CONFLICT when the tier is not the one `expected`.
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
 * Suspends or restores an account for a stated reason. Errors: NOT_FOUND; FORBIDDEN for one's own account; CONFLICT when it
 * is in that state already.
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
 * Disables a key for a stated reason, such as a leaked value, or enables it again, and tells the owners by email. Errors: NOT_FOUND;
 * FORBIDDEN for one's own account; CONFLICT when the state of the key does not allow it, and for a key that a member disabled.
 */
export async function setKeyDisabled(staff: StaffCtx, { accountId, disabled, ...change }: KeyDisabledInput): Promise<void> {
  await db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    const key = await (disabled ? disableKeyIn : enableKeyIn)(tx, ctx, change)
    if (!disabled) {
      const where = { accountId, action: 'key.disable', subject: change.keyId }
      const entry = await tx.auditEntry.findFirst({ where, orderBy: { id: 'desc' }, select: { actor: true, actorEmail: true } })
      if (!entry || actorOf(entry, new Map()).kind !== 'support')
        throw new ServiceError('CONFLICT', { message: 'A member of the account disabled this key. Only members can enable it.' })
    }
    const effect = disabled
      ? 'We refuse all requests with it. You can enable it again or revoke it in your dashboard.'
      : 'Requests with it work again.'
    await mailOwners(tx, accountId, (name) => ({
      subject: disabled ? 'Your API key was disabled' : 'Your API key was enabled again',
      text: `Support ${disabled ? 'disabled' : 'enabled'} the API key “${key}” of the account “${name}”. ${effect}\n\nReason: ${change.reason}`,
    }))
  })
}

/**
 * Approves or declines a request for a higher quota. Beyond the bounds of `maySetQuotaAlone` it proposes the quota instead, returns the
 * proposal and leaves the request open. Errors: NOT_FOUND, CONFLICT when the request is not open.
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
 * Suspends or restores a member of an account, or ends their sessions, for a stated reason. Errors: NOT_FOUND; FORBIDDEN for users who share
 * an account with the staff member, and for support staff, whom only operators suspend; CONFLICT when they are in that state already.
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
    throw new ServiceError('FORBIDDEN', { message: 'You share an account with this user. Ask another staff member to do this.' })
  if (bars.staff)
    throw new ServiceError('FORBIDDEN', { message: 'This user is support staff. Only an operator can do this, on the command line.' })
  await ACTIONS[what]({ actor }, { userId, reason })
}

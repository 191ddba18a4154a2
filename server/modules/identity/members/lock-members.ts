import { type AccountCtx, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { Role } from '../../../permissions.ts'
import type { Tx } from '../../../platform/database/database.ts'

export interface LockedMember {
  userId: string
  role: Role
  email: string
}

/**
 * Locks and returns the account's members until the transaction ends, always in the same order: of two owners who demote each other
 * concurrently, the second sees the first change.
 */
export async function lockTeam(tx: Tx, { accountId }: Pick<AccountCtx, 'accountId'>): Promise<LockedMember[]> {
  return tx.$queryRaw<LockedMember[]>`
    SELECT user_id AS "userId", role, email FROM membership JOIN app_user ON id = user_id
    WHERE account_id = ${accountId} ORDER BY user_id FOR UPDATE OF membership`
}

/**
 * Checks that the caller may still change the team in this transaction, because their role may have changed since the request began.
 * Errors: FORBIDDEN.
 */
export function requireTeamPermission(ctx: AccountCtx, team: LockedMember[]): void {
  const { actor } = ctx
  const self = actor.kind === 'user' ? team.find(({ userId }) => userId === actor.userId) : undefined
  if (actor.kind !== 'user' || !self) throw new ServiceError('FORBIDDEN')
  requirePermission({ actor: { ...actor, role: self.role } }, 'team.change')
}

/** Throws CONFLICT when this member is the only owner, because an account must keep one. */
export function requireAnotherOwner(team: LockedMember[], { userId, role }: LockedMember): void {
  if (role !== 'OWNER' || team.some((other) => other.role === 'OWNER' && other.userId !== userId)) return
  const message = 'An account needs at least one owner, and this is the only one. Make another member an owner first.'
  throw new ServiceError('CONFLICT', { message })
}

/** Returns the member with this id. Errors: NOT_FOUND. */
export function memberOf(team: LockedMember[], userId: string): LockedMember {
  const member = team.find((one) => one.userId === userId)
  if (!member) throw new ServiceError('NOT_FOUND', { message: 'No such member exists in your account.' })
  return member
}

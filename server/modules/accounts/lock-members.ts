import { type AccountCtx, requirePermission } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Role } from '../../permissions.ts'
import type { Tx } from '../../platform/database.ts'

export interface LockedMember {
  userId: string
  role: Role
  email: string
}

/**
 * The account's members, locked until the transaction ends, always in the same order: two owners who demote each other at the same
 * moment come one after the other, and the second sees what the first did.
 */
export async function lockTeam(tx: Tx, { accountId }: Pick<AccountCtx, 'accountId'>): Promise<LockedMember[]> {
  return tx.$queryRaw<LockedMember[]>`
    SELECT user_id AS "userId", role, email FROM membership JOIN app_user ON id = user_id
    WHERE account_id = ${accountId} ORDER BY user_id FOR UPDATE OF membership`
}

/** Whoever changes the team must be allowed to at this moment, not only when the request came in. Errors: FORBIDDEN. */
export function stillChangesTeam(ctx: AccountCtx, team: LockedMember[]): void {
  const { actor } = ctx
  const self = actor.kind === 'user' ? team.find(({ userId }) => userId === actor.userId) : undefined
  if (actor.kind !== 'user' || !self) throw new ServiceError('FORBIDDEN')
  requirePermission({ actor: { ...actor, role: self.role } }, 'team.change')
}

/** Throws CONFLICT when this member is the only owner: an account must not lose its last. */
export function notLastOwner(team: LockedMember[], { userId, role }: LockedMember): void {
  if (role !== 'OWNER' || team.some((other) => other.role === 'OWNER' && other.userId !== userId)) return
  const message = 'An account needs an owner, and this is its only one. Make somebody else an owner first.'
  throw new ServiceError('CONFLICT', { message })
}

/** The member with this id. Errors: NOT_FOUND. */
export function memberOf(team: LockedMember[], userId: string): LockedMember {
  const member = team.find((one) => one.userId === userId)
  if (!member) throw new ServiceError('NOT_FOUND', { message: 'There is no such member in your account.' })
  return member
}

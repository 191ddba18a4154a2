import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Role } from '../../permissions.ts'
import { db } from '../../platform/database.ts'
import { supportContact } from '../../platform/support-contact.ts'

/** The signed-in user and the current account. */
export interface CurrentUser {
  email: string
  role: Role
  account: { id: string; name: string; tier: 'FREE' | 'PAID' }
  /** Reason and time of the account's suspension, and the contact; null while it is not suspended. */
  suspended: { since: Date; reason: string; contact: string } | null
  /** Every account of the user, by name, including the current one. */
  accounts: { id: string; name: string; role: Role }[]
}

/** Returns the signed-in user and their accounts. Errors: UNAUTHENTICATED when the actor is not a user. */
export async function getCurrentUser(ctx: AccountCtx): Promise<CurrentUser> {
  if (ctx.actor.kind !== 'user') throw new ServiceError('UNAUTHENTICATED')
  const { userId, email, role } = ctx.actor
  const [account, memberships] = await Promise.all([
    db().account.findUniqueOrThrow({
      where: { id: ctx.accountId },
      select: { id: true, name: true, tier: true, suspendedAt: true, suspensionReason: true },
    }),
    db().membership.findMany({
      where: { userId },
      orderBy: [{ account: { name: 'asc' } }, { accountId: 'asc' }],
      select: { role: true, account: { select: { id: true, name: true } } },
    }),
  ])
  const { suspendedAt: since, suspensionReason: reason, ...shown } = account
  const suspended = since && { since, reason: reason ?? '', contact: supportContact() }
  return { email, role, account: shown, suspended, accounts: memberships.map(({ role, account }) => ({ ...account, role })) }
}

import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Role } from '../../permissions.ts'
import { db } from '../../platform/database.ts'
import { supportContact } from '../../platform/support-contact.ts'

/** Who is signed in, and to which account. */
export interface Me {
  email: string
  role: Role
  account: { id: string; name: string; tier: 'FREE' | 'PAID' }
  /** Why the account is suspended, since when, and whom to ask; null while it is not. */
  suspended: { since: Date; why: string; contact: string } | null
  /** Every account they belong to, by name; the one above among them. */
  accounts: { id: string; name: string; role: Role }[]
}

/** The signed-in person and their accounts. Errors: UNAUTHENTICATED when the actor is no person. */
export async function me(ctx: AccountCtx): Promise<Me> {
  if (ctx.actor.kind !== 'user') throw new ServiceError('UNAUTHENTICATED')
  const { userId, email, role } = ctx.actor
  const [account, memberships] = await Promise.all([
    db().account.findUniqueOrThrow({
      where: { id: ctx.accountId },
      select: { id: true, name: true, tier: true, suspendedAt: true, suspendedWhy: true },
    }),
    db().membership.findMany({
      where: { userId },
      orderBy: [{ account: { name: 'asc' } }, { accountId: 'asc' }],
      select: { role: true, account: { select: { id: true, name: true } } },
    }),
  ])
  const { suspendedAt: since, suspendedWhy: why, ...shown } = account
  const suspended = since && { since, why: why ?? '', contact: supportContact() }
  return { email, role, account: shown, suspended, accounts: memberships.map(({ role, account }) => ({ ...account, role })) }
}

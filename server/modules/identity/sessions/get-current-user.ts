import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { Role, StaffRole } from '../../../permissions.ts'
import { supportContact } from '../../../platform/config/support-contact.ts'
import { db } from '../../../platform/database/database.ts'
import { compareNames } from '../../../platform/text/fold-case.ts'

/** The signed-in user and the current account. */
export interface CurrentUser {
  email: string
  role: Role
  account: { id: string; name: string; tier: 'FREE' | 'PAID' }
  /** Reason and time of the account's suspension, and the contact. Null if it is not suspended. */
  suspended: { since: Date; reason: string; contact: string } | null
  /** Every account of the user, by name, including the current one. */
  accounts: { id: string; name: string; role: Role }[]
  /** Set while support staff view the account as its owner: who is viewing, and until when. */
  ownerView: { ownerEmail: string; expiresAt: Date } | null
  /** Their role in the installation. Null for users who are neither support staff nor operators. */
  staff: StaffRole | null
}

/**
 * Returns the signed-in user and their accounts; in a view as owner, the account's owner. Errors: UNAUTHENTICATED if the actor is not a
 * user.
 */
export async function getCurrentUser(ctx: AccountCtx): Promise<CurrentUser> {
  const { ownerView } = ctx
  if (ctx.actor.kind !== 'user' && !(ownerView && ctx.actor.kind === 'support')) throw new ServiceError('UNAUTHENTICATED')
  const { userId } = ctx.actor
  const role = ctx.actor.kind === 'user' ? ctx.actor.role : 'OWNER'
  const [account, memberships, grant] = await Promise.all([
    db().account.findUniqueOrThrow({
      where: { id: ctx.accountId },
      select: { id: true, name: true, tier: true, suspendedAt: true, suspensionReason: true },
    }),
    db().membership.findMany({
      where: ownerView ? { accountId: ctx.accountId, role: 'OWNER' } : { userId },
      take: ownerView ? 1 : undefined,
      orderBy: { accountId: 'asc' },
      select: { role: true, account: { select: { id: true, name: true } } },
    }),
    db().staffGrant.findFirst({ where: { userId, revokedAt: null }, select: { role: true } }),
  ])
  const { suspendedAt: since, suspensionReason: reason, ...shown } = account
  const suspended = since && { since, reason: reason ?? '', contact: supportContact() }
  return {
    email: ownerView?.ownerEmail ?? ctx.actor.email,
    role,
    account: shown,
    suspended,
    accounts: memberships.map(({ role, account }) => ({ ...account, role })).sort((a, b) => compareNames(a.name, b.name)),
    ownerView: ownerView ? { ownerEmail: ownerView.ownerEmail, expiresAt: ownerView.expiresAt } : null,
    staff: ownerView ? null : ((grant?.role as StaffRole | undefined) ?? null),
  }
}

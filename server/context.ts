import { ServiceError } from './errors.ts'
import { type Permission, type Role, roleMay, roleRefusal } from './permissions.ts'
import type { Scope } from './scopes.ts'

/** Created only where the caller has proven a right to the account (session, API key). Use cases accept no other type. */
export type AccountId = string & { readonly __brand: 'AccountId' }

/** The caller of a use case. */
export type Actor =
  | { kind: 'user'; userId: string; email: string; role: Role }
  | { kind: 'key'; keyId: string; scopes: readonly Scope[]; environment: 'LIVE' | 'TEST' }
  /** Support staff who read another account, or change something in it for a stated reason. */
  | { kind: 'support'; userId: string; email: string }
  /** The operator, using the installation's own commands. */
  | { kind: 'operator' }
  | { kind: 'system' }

/** Support staff viewing an account as its owner. See server/modules/backoffice/support/owner-view.ts. */
export interface OwnerView {
  id: string
  ownerEmail: string
  expiresAt: Date
}

/** One call on behalf of one account. Created once per call and passed to every use case. */
export interface AccountCtx {
  accountId: AccountId
  actor: Actor
  requestId: string
  /** Whether the account is suspended. Its members can then read, but change nothing. */
  suspended?: true
  /** Set while support staff view the account as its owner: the session can read, but every change is refused. */
  ownerView?: OwnerView
  /** The session that identified the user. Absent for callers without a session. */
  sessionId?: string
  /** The caller's full network address, if known, for the security log. */
  address?: string
}

/** Returns the name of an actor in the audit log: `usr_…`, `key_…`, `support:usr_…`, `operator` or `system`. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'user') return actor.userId
  if (actor.kind === 'support') return `support:${actor.userId}`
  return actor.kind === 'key' ? actor.keyId : actor.kind
}

/** Returns whether the caller is a member whose role allows the permission. */
export const hasPermission = ({ actor }: Pick<AccountCtx, 'actor'>, permission: Permission) =>
  actor.kind === 'user' && roleMay(actor.role, permission)

/** Throws FORBIDDEN while support staff view the account as its owner. */
export function refuseInOwnerView(ctx: Pick<AccountCtx, 'ownerView'> | undefined, message = READ_ONLY_VIEW): void {
  if (ctx?.ownerView) throw new ServiceError('FORBIDDEN', { message, details: { reason: 'owner-view' } })
}

const READ_ONLY_VIEW = 'You are viewing this account as its owner, which is read-only. Nothing was changed.'
const PERSONAL = 'You cannot see sign-in methods and sessions while you view an account as its owner.'

/**
 * Returns the signed-in user, and the session unless something else authenticated the user. Errors: UNAUTHENTICATED for every other actor,
 * FORBIDDEN in a view as owner.
 */
export function requireUser(ctx: AccountCtx): { userId: string; email: string; sessionId: string | undefined } {
  refuseInOwnerView(ctx, PERSONAL)
  const { actor, sessionId } = ctx
  if (actor.kind !== 'user') throw new ServiceError('UNAUTHENTICATED')
  return { userId: actor.userId, email: actor.email, sessionId }
}

/** First line of use cases for the operator and support staff. Throws FORBIDDEN for every other actor. */
export function requireStaff(ctx: Pick<AccountCtx, 'actor' | 'ownerView'>): void {
  refuseInOwnerView(ctx)
  const { actor } = ctx
  if (actor.kind !== 'operator' && actor.kind !== 'support') throw new ServiceError('FORBIDDEN')
}

/** What an owner of a suspended account can still do. */
const WHILE_SUSPENDED: readonly Permission[] = ['account.delete']

/**
 * First line of every use case that changes something. Throws FORBIDDEN, naming the roles that can, unless the actor is a member whose role
 * allows the change. Throws ACCOUNT_SUSPENDED for a member of a suspended account.
 */
export function requirePermission(ctx: Pick<AccountCtx, 'actor' | 'suspended' | 'ownerView'>, permission: Permission): void {
  refuseInOwnerView(ctx)
  if (ctx.suspended && !WHILE_SUSPENDED.includes(permission))
    throw new ServiceError('ACCOUNT_SUSPENDED', {
      message: 'This account is suspended, so the change was not saved. See the top of the dashboard for the reason and a contact.',
    })
  if (hasPermission(ctx, permission)) return
  throw new ServiceError('FORBIDDEN', ctx.actor.kind === 'user' ? { message: roleRefusal(ctx.actor.role, permission) } : {})
}

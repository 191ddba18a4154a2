import { ServiceError } from './errors.ts'
import { type Permission, type Role, roleMay, roleRefusal } from './permissions.ts'
import type { Scope } from './scopes.ts'

/** Minted only where somebody's right to an account was proven (session, API key); verbs accept nothing else. */
export type AccountId = string & { readonly __brand: 'AccountId' }

/** Who makes a call. */
export type Actor =
  | { kind: 'user'; userId: string; email: string; role: Role }
  | { kind: 'key'; keyId: string; scopes: readonly Scope[]; environment: 'LIVE' | 'TEST' }
  /** Support staff, who look at an account that is not theirs, or change something of it for a stated reason. */
  | { kind: 'support'; userId: string; email: string }
  /** Whoever runs the installation's own commands. */
  | { kind: 'operator' }
  | { kind: 'system' }

/** One call on behalf of one account; made once, handed to every verb. */
export interface AccountCtx {
  accountId: AccountId
  actor: Actor
  requestId: string
  /** Whether the account is suspended: its members read, and change nothing. */
  suspended?: true
  /** By which session a person was known; none where they were not known by one. */
  sessionId?: string
  /** The whole network address that the call came from, where it is known: for the security log. */
  address?: string
}

/** How the audit log names an actor: `usr_…`, `key_…`, `support:usr_…`, `operator` or `system`. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'user') return actor.userId
  if (actor.kind === 'support') return `support:${actor.userId}`
  return actor.kind === 'key' ? actor.keyId : actor.kind
}

/** Whether who calls is a member whose role allows it. */
export const may = ({ actor }: Pick<AccountCtx, 'actor'>, permission: Permission) =>
  actor.kind === 'user' && roleMay(actor.role, permission)

/** The first line of verbs for the operator and support staff. Throws FORBIDDEN for everybody else. */
export function requireStaff({ actor }: Pick<AccountCtx, 'actor'>): void {
  if (actor.kind !== 'operator' && actor.kind !== 'support') throw new ServiceError('FORBIDDEN')
}

/** What an owner of a suspended account may still do. */
const WHILE_SUSPENDED: readonly Permission[] = ['account.delete']

/**
 * Every changing verb's first line. Throws FORBIDDEN, with words on who can, unless the actor is a member whose role allows it;
 * ACCOUNT_SUSPENDED for a member of a suspended account.
 */
export function requirePermission(ctx: Pick<AccountCtx, 'actor' | 'suspended'>, permission: Permission): void {
  if (ctx.suspended && !WHILE_SUSPENDED.includes(permission))
    throw new ServiceError('ACCOUNT_SUSPENDED', {
      message: 'This account is suspended, so nothing was changed. The reason, and whom to ask, are at the top of the dashboard.',
    })
  if (may(ctx, permission)) return
  throw new ServiceError('FORBIDDEN', ctx.actor.kind === 'user' ? { message: roleRefusal(ctx.actor.role, permission) } : {})
}

import { ServiceError } from './errors.ts'
import { type Permission, type Role, roleMay, roleRefusal } from './roles.ts'
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

/** Every changing verb's first line. Throws FORBIDDEN, with words on who can, unless the actor is a member whose role allows it. */
export function demand(ctx: Pick<AccountCtx, 'actor'>, permission: Permission): void {
  if (may(ctx, permission)) return
  throw new ServiceError('FORBIDDEN', ctx.actor.kind === 'user' ? { message: roleRefusal(ctx.actor.role, permission) } : {})
}

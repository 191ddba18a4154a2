import type { Scope } from './scopes.ts'

/** Minted only where somebody's right to an account was proven (session, API key); verbs accept nothing else. */
export type AccountId = string & { readonly __brand: 'AccountId' }

export type Role = 'OWNER' | 'DEVELOPER' | 'VIEWER'

/** Who makes a call. */
export type Actor =
  | { kind: 'user'; userId: string; email: string; role: Role }
  | { kind: 'key'; keyId: string; scopes: readonly Scope[]; environment: 'LIVE' | 'TEST' }
  /** Support staff, who look at an account that is not theirs. Minted by server/support/open-account.ts alone. */
  | { kind: 'support'; userId: string; email: string }
  | { kind: 'system' }

/** One call on behalf of one account; made once, handed to every verb. */
export interface AccountCtx {
  accountId: AccountId
  actor: Actor
  requestId: string
}

/** How the audit log names an actor: `usr_…`, `support:usr_…`, `key_…` or `system`. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'user') return actor.userId
  if (actor.kind === 'support') return `support:${actor.userId}`
  return actor.kind === 'key' ? actor.keyId : 'system'
}

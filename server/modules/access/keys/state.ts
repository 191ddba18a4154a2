/** Life cycle of an API key (specification §2.4, §5; expiry and disabling are additive). Server and dashboard read this table. */
export const KEY_STATES = {
  ACTIVE: ['edit', 'rotate', 'disable', 'revoke'],
  /** Rotated: works until the overlap ends. */
  ROTATING_OUT: ['edit', 'disable', 'revoke'],
  /** Refused until it is enabled again. */
  DISABLED: ['edit', 'enable', 'revoke'],
  /** Refused. A later expiry reactivates it. */
  EXPIRED: ['edit', 'revoke'],
  /** Refused permanently. */
  REVOKED: [],
} as const satisfies Record<string, readonly KeyAction[]>

/** Actions on a key. `edit`: its name, scopes, expiry and allowed networks. */
export type KeyAction = 'edit' | 'rotate' | 'disable' | 'enable' | 'revoke'
export type KeyState = keyof typeof KEY_STATES

/** The columns that determine a key's state. */
export interface KeyLife {
  revokedAt: Date | null
  expiresAt: Date | null
  disabledAt: Date | null
}

/** Returns the state of a key at `now`, in milliseconds since 1970. Permanent states come first: a revoked key may have expired as well. */
export function keyStateOf({ revokedAt, expiresAt, disabledAt }: KeyLife, now: number): KeyState {
  if (revokedAt && revokedAt.getTime() <= now) return 'REVOKED'
  if (expiresAt && expiresAt.getTime() <= now) return 'EXPIRED'
  if (disabledAt) return 'DISABLED'
  return revokedAt ? 'ROTATING_OUT' : 'ACTIVE'
}

/** Returns whether the state table allows the action. */
export const allowsAction = (state: KeyState, action: KeyAction) => (KEY_STATES[state] as readonly KeyAction[]).includes(action)

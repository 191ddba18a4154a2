/** Life cycle of an API key (specification §2.4, §5; expiry and disabling are additive). Server and dashboard read this table. */
export const KEY_STATES = {
  ACTIVE: ['edit', 'rotate', 'disable', 'revoke'],
  /** Rotated: works until the overlap ends. */
  ROTATING_OUT: ['edit', 'disable', 'revoke'],
  /** Refused until it is enabled again. */
  DISABLED: ['edit', 'enable', 'revoke'],
  /** Refused; a later expiry reactivates it. */
  EXPIRED: ['edit', 'revoke'],
  /** Refused permanently. */
  REVOKED: [],
} as const satisfies Record<string, readonly KeyAction[]>

/** Actions on a key. `edit`: its name, its scopes, its expiry, its allowed networks. */
export type KeyAction = 'edit' | 'rotate' | 'disable' | 'enable' | 'revoke'
export type KeyState = keyof typeof KEY_STATES

/** The columns of a key's row that determine its state. */
export interface KeyLife {
  revokedAt: Date | null
  expiresAt: Date | null
  disabledAt: Date | null
}

/**
 * Returns the state of a key at `now`, milliseconds since 1970. Permanent states precede others: a revoked key may have expired as well.
 */
export function keyStateOf({ revokedAt, expiresAt, disabledAt }: KeyLife, now: number): KeyState {
  if (revokedAt && revokedAt.getTime() <= now) return 'REVOKED'
  if (expiresAt && expiresAt.getTime() <= now) return 'EXPIRED'
  if (disabledAt) return 'DISABLED'
  return revokedAt ? 'ROTATING_OUT' : 'ACTIVE'
}

/** Returns whether the state table allows the action. */
export const allowsAction = (state: KeyState, action: KeyAction) => (KEY_STATES[state] as readonly KeyAction[]).includes(action)

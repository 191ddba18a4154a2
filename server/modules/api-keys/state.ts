/** Life cycle of an API key (specification §2.4, §5; expiry and rest are additive). Server and dashboard read this table. */
export const KEY_STATES = {
  /** It works. */
  WORKING: ['edit', 'rotate', 'disable', 'revoke'],
  /** Replaced: it works until the overlap ends. */
  ENDING: ['edit', 'disable', 'revoke'],
  /** At rest: refused, until somebody enables it again. */
  DISABLED: ['edit', 'enable', 'revoke'],
  /** Past its date: refused. A later date wakes it. */
  EXPIRED: ['edit', 'revoke'],
  /** Refused for good. */
  REVOKED: [],
} as const satisfies Record<string, readonly KeyAction[]>

/** What can be done to a key. `edit`: its name, its end, the addresses it may be used from. */
export type KeyAction = 'edit' | 'rotate' | 'disable' | 'enable' | 'revoke'
export type KeyState = keyof typeof KEY_STATES

/** What of a key's row says how it is. */
export interface KeyLife {
  revokedAt: Date | null
  expiresAt: Date | null
  disabledAt: Date | null
}

/** The state of a key at `now`, milliseconds since 1970. What lasts longest is named first: a revoked key may have expired as well. */
export function keyStateOf({ revokedAt, expiresAt, disabledAt }: KeyLife, now: number): KeyState {
  if (revokedAt && revokedAt.getTime() <= now) return 'REVOKED'
  if (expiresAt && expiresAt.getTime() <= now) return 'EXPIRED'
  if (disabledAt) return 'DISABLED'
  return revokedAt ? 'ENDING' : 'WORKING'
}

/** Whether the state table allows it. */
export const mayBe = (state: KeyState, action: KeyAction) => (KEY_STATES[state] as readonly KeyAction[]).includes(action)

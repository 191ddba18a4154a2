import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { allowsAction, type KeyAction, type KeyState, keyStateOf } from './state.ts'

/** A key's row for a use case, locked until its transaction ends. */
export interface OwnedKey {
  id: string
  name: string
  state: KeyState
  revokedAt: Date | null
  expiresAt: Date | null
  disabledAt: Date | null
  allowedIps: string[]
  scopes: string[]
}

/** `now` is the time by the database's clock. */
type Row = Omit<OwnedKey, 'state'> & { now: Date }

/**
 * Locks and returns the account's key if its state (state.ts, by the database's clock) allows the action. Errors: NOT_FOUND, also for
 * another account's key; CONFLICT if its state does not allow the action.
 */
export async function getOwnedKeyForUpdate(tx: Tx, ctx: AccountCtx, keyId: string, action: KeyAction): Promise<OwnedKey> {
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT id, name, revoked_at AS "revokedAt", expires_at AS "expiresAt", disabled_at AS "disabledAt", allowed_ips AS "allowedIps", scopes,
      service_clock() AS now
    FROM api_key WHERE id = ${keyId} AND account_id = ${ctx.accountId} FOR NO KEY UPDATE`
  if (!row) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such key.' })
  const { now, ...key } = row
  const state = keyStateOf(key, now.getTime())
  if (!allowsAction(state, action)) throw new ServiceError('CONFLICT', { message: REFUSALS[action](state), details: { state } })
  return { ...key, state }
}

const STATE_DESCRIPTIONS: Record<KeyState, string> = {
  ACTIVE: 'is active',
  ROTATING_OUT: 'is being rotated out',
  DISABLED: 'is disabled',
  EXPIRED: 'has expired',
  REVOKED: 'is revoked',
}

const REFUSALS: Record<KeyAction, (state: KeyState) => string> = {
  edit: (state) => `This key ${STATE_DESCRIPTIONS[state]} and can no longer be changed.`,
  rotate: (state) =>
    state === 'DISABLED' || state === 'EXPIRED'
      ? `This key ${STATE_DESCRIPTIONS[state]}, so it needs no overlap. Create a new key instead.`
      : 'This key was already revoked or rotated. Rotate its replacement instead.',
  disable: (state) => `This key ${STATE_DESCRIPTIONS[state]}. Reload the page to see its current state.`,
  enable: (state) => `This key ${STATE_DESCRIPTIONS[state]} and cannot be enabled. Reload the page to see its current state.`,
  revoke: (state) => `This key ${STATE_DESCRIPTIONS[state]}.`,
}

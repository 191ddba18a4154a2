import type { AccountCtx, AccountId } from '../../../context.ts'
import { env } from '../../../platform/config/config.ts'
import { query } from '../../../platform/database/database.ts'
import { noteAccount } from '../../../platform/turns/caller.ts'

/**
 * SQL: whether the user of a view as owner (`v`) may view the account now: support staff since the grant under which they opened the view,
 * with the required second factor ($`factor`), and not a member.
 */
export const viewIsPermitted = (factor: number) => `EXISTS (SELECT 1 FROM staff_grant g JOIN app_user u ON u.id = g.user_id
    WHERE g.id = v.grant_id AND g.user_id = v.user_id AND g.revoked_at IS NULL AND u.suspended_at IS NULL
      AND (NOT $${factor}::boolean OR u.totp_confirmed_at IS NOT NULL))
  AND NOT EXISTS (SELECT 1 FROM membership m WHERE m.user_id = v.user_id AND m.account_id = v.account_id)`
const VALID = `v.ended_at IS NULL AND v.expires_at > service_now() AND ${viewIsPermitted(2)}`

const VIEW = `
  SELECT v.account_id, v.expires_at, a.suspended_at IS NOT NULL AS suspended,
    (SELECT u.email FROM membership m JOIN app_user u ON u.id = m.user_id WHERE m.account_id = a.id AND m.role = 'OWNER'
      ORDER BY m.created_at, m.user_id LIMIT 1) AS owner
  FROM owner_view v JOIN account a ON a.id = v.account_id WHERE v.id = $1 AND a.deleted_at IS NULL AND ${VALID}`

interface Row {
  account_id: string
  expires_at: Date
  suspended: boolean
  owner: string | null
}

export const secondFactorRequired = () => env().STAFF_SECOND_FACTOR === 'required'

/**
 * Returns the context in which support staff see an account as its owner does: an actor of kind `support`, which no change accepts.
 * Undefined if the view has ended, or its user may no longer view the account. `own` is the context of their own session.
 */
export async function readOwnerView(own: AccountCtx, viewId: string): Promise<AccountCtx | undefined> {
  if (own.actor.kind !== 'user') return undefined
  const [row] = await query<Row & Record<string, unknown>>('owner-view', VIEW, [viewId, secondFactorRequired()])
  if (!row) return undefined
  noteAccount(row.account_id)
  const { sessionId, requestId, address, actor } = own
  const { userId, email } = actor
  return {
    ...{ accountId: row.account_id as AccountId, actor: { kind: 'support', userId, email }, requestId },
    ...(sessionId && { sessionId }),
    ...(address && { address }),
    ...(row.suspended && { suspended: true as const }),
    ownerView: { id: viewId, ownerEmail: row.owner ?? '', expiresAt: row.expires_at },
  }
}

const OPEN = `SELECT 1 FROM owner_view v JOIN user_session s ON s.id = v.session_id
  WHERE v.id = $1 AND ${VALID} AND s.expires_at > service_now()`

/** Returns whether a view as owner is currently valid, for event streams. */
export async function isOwnerViewOpen(viewId: string): Promise<boolean> {
  return (await query('owner-view-open', OPEN, [viewId, secondFactorRequired()])).length > 0
}

import type { AccountId } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { secondFactorRequired, viewIsPermitted } from '../../identity/sessions/owner-view.ts'
import { requireAccount } from './require-account.ts'
import type { BeginOwnerViewInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Minutes after which a view as owner ends by itself. */
export const OWNER_VIEW_MINUTES = 30

/**
 * Begins a view of an account as its owner: for 30 minutes the staff member's session can read the account's dashboard, and change nothing.
 * Records it in the account's audit log. Errors: NOT_FOUND; FORBIDDEN for one's own account; CONFLICT while the session has a view.
 */
export async function beginOwnerView(
  staff: StaffCtx,
  sessionId: string | undefined,
  { accountId, reason }: BeginOwnerViewInput,
): Promise<{ expiresAt: Date }> {
  if (!sessionId) throw new ServiceError('UNAUTHENTICATED')
  const { userId, email } = staff.staff
  return db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    // To the index, a view that is over is open until the job or this statement ends it.
    const over = `v.session_id = $1 AND (v.expires_at <= service_now() OR NOT (${viewIsPermitted(2)}))`
    await endViews(tx, over, [sessionId, secondFactorRequired()], 'expired')
    const [view] = await tx.$queryRaw<{ expiresAt: Date }[]>`
      INSERT INTO owner_view (id, account_id, session_id, user_id, grant_id, email, reason, expires_at)
      SELECT ${newId('ovw')}, ${accountId}, ${sessionId}, user_id, id, ${email}, ${reason},
        service_now() + make_interval(mins => ${OWNER_VIEW_MINUTES}::int)
      FROM staff_grant WHERE user_id = ${userId} AND revoked_at IS NULL
      ON CONFLICT (session_id) WHERE ended_at IS NULL DO NOTHING RETURNING expires_at AS "expiresAt"`
    if (!view) throw new ServiceError('CONFLICT', { message: 'You are already viewing an account as its owner. End that view first.' })
    const { expiresAt } = view
    await record(tx, ctx, { action: 'support.view-as.begin', subject: accountId, after: { reason, until: expiresAt.toISOString() } })
    return { expiresAt }
  })
}

/** Ends the view of a session, if it has one, and returns its account. */
export async function endOwnerView(sessionId: string | undefined): Promise<{ accountId: string | null }> {
  if (!sessionId) return { accountId: null }
  const [ended] = await db().$transaction((tx) => endViews(tx, 'v.session_id = $1', [sessionId], 'ended'))
  return { accountId: ended?.account_id ?? null }
}

const OVER = `v.expires_at <= service_now()
  OR NOT EXISTS (SELECT 1 FROM user_session s WHERE s.id = v.session_id AND s.expires_at > service_now())
  OR NOT (${viewIsPermitted(1)})`

/** Ends and records views that have expired, or whose session or permission has ended. Runs as the job `support.end-views`. */
export async function endOverdueViews(): Promise<void> {
  const values = [secondFactorRequired()]
  // Read first: most runs find none, and the records need a transaction.
  if ((await query('owner-views-over', `SELECT 1 FROM owner_view v WHERE v.ended_at IS NULL AND (${OVER}) LIMIT 1`, values)).length === 0)
    return
  await db().$transaction((tx) => endViews(tx, `(${OVER})`, values, 'expired'))
}

interface EndedView {
  account_id: string
  user_id: string
  email: string
  seconds: number
}

/** Ends the open views that match a condition, and records the end of each in its account's audit log. */
async function endViews(tx: Tx, condition: string, values: (string | boolean)[], how: 'ended' | 'expired'): Promise<EndedView[]> {
  // In account order, as everywhere: each account's log is a chain whose head a transaction locks while it appends.
  const ended = await tx.$queryRawUnsafe<EndedView[]>(
    `WITH over AS (
       UPDATE owner_view v SET ended_at = least(service_now(), v.expires_at) WHERE v.ended_at IS NULL AND ${condition}
       RETURNING v.account_id, v.user_id, v.email, extract(epoch FROM v.ended_at - v.started_at)::int AS seconds)
     SELECT * FROM over ORDER BY account_id`,
    ...values,
  )
  for (const { account_id, user_id, email, seconds } of ended) {
    const ctx = { accountId: account_id as AccountId, actor: { kind: 'support', userId: user_id, email } } as const
    await record(tx, ctx, { action: 'support.view-as.end', subject: account_id, after: { how, seconds } })
  }
  return ended
}

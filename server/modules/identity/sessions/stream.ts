import type { AccountCtx } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { beginLongAnswer } from '../../../platform/turns/long-answers.ts'
import { isOwnerViewOpen } from './owner-view.ts'
import { LACKS_REQUIRED_SECOND_FACTOR } from './session.ts'

/** Interval of the membership check: upper bound on a stream's life after a lost notification or the session's expiry. */
const CHECK_MS = 60_000

/** A slot for one stream. `signal` aborts when the user is signed out or no longer a member; `release` frees the slot. */
export interface StreamSlot {
  signal: AbortSignal
  release: () => void
}

/** Reserves a slot for an event stream of the dashboard, which ends with its session. Throws TurnRefused. */
export function reserveStream(ctx: AccountCtx): StreamSlot {
  const { accountId } = ctx
  const turn = beginLongAnswer('pages', accountId)
  const out = new AbortController()
  const check = () =>
    mayStillReceive(ctx).then(
      (inside) => inside || out.abort(),
      // A database error is no evidence that the session ended.
      () => {},
    )
  const membership = ctx.actor.kind === 'user' ? `${accountId}:${ctx.actor.userId}` : undefined
  const stops = [
    notifications().on('session', (id) => id === ctx.sessionId && void check()),
    notifications().on('membership', (who) => who === membership && void check()),
  ]
  const timer = setInterval(() => void check(), CHECK_MS)
  timer.unref()
  const release = () => {
    clearInterval(timer)
    for (const stop of stops) stop()
    turn.end()
  }
  return { signal: out.signal, release }
}

const MEMBER = 'SELECT 1 FROM membership WHERE account_id = $1 AND user_id = $2'
const SESSION = `
  SELECT 1 FROM user_session s JOIN app_user u ON u.id = s.user_id JOIN account a ON a.id = $2
  WHERE s.id = $1 AND s.expires_at > service_now() AND NOT ${LACKS_REQUIRED_SECOND_FACTOR}
    AND NOT EXISTS (SELECT 1 FROM membership m WHERE m.user_id = s.user_id AND m.account_id = s.account_id AND m.account_id <> $2)`

/** Returns whether the user may still receive the stream. A session that switched its account must open new streams. */
async function mayStillReceive({ accountId, actor, sessionId, ownerView }: AccountCtx): Promise<boolean> {
  if (ownerView) return isOwnerViewOpen(ownerView.id)
  if (actor.kind !== 'user') return true
  if ((await query('stream-member', MEMBER, [accountId, actor.userId])).length === 0) return false
  return sessionId === undefined || (await query('stream-session', SESSION, [sessionId, accountId])).length > 0
}

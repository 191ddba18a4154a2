import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { services } from '../../platform/container.ts'
import { query } from '../../platform/database.ts'
import { notifications } from '../../platform/notifications.ts'
import { isOwnerViewOpen } from './owner-view.ts'
import { LACKS_REQUIRED_SECOND_FACTOR } from './session.ts'

/** Maximum number of open event streams per account and process; a page in a background tab has none. */
export const MAX_STREAMS = 100
/** Interval of the membership check: upper bound on a stream's life after a lost notification or the session's expiry. */
const CHECK_MS = 60_000

declare module '../../platform/container.ts' {
  interface Services {
    /** By account. */
    openStreams: Map<string, number>
  }
}

const held = () => services().openStreams

/** A slot for one stream. `signal` aborts when the user is signed out or no longer a member; `release` frees the slot. */
export interface StreamSlot {
  signal: AbortSignal
  release: () => void
}

/**
 * Reserves a slot for an event stream of the dashboard: limits how many an account has, and ends them with their session. Throws
 * TOO_MANY_ATTEMPTS.
 */
export function reserveStream(ctx: AccountCtx): StreamSlot {
  const { accountId } = ctx
  const open = held().get(accountId) ?? 0
  if (open >= MAX_STREAMS)
    throw new ServiceError('TOO_MANY_ATTEMPTS', { message: 'Too many pages of this account are open. Close some of them.', retryAfter: 30 })
  held().set(accountId, open + 1)
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
  let released = false
  const release = () => {
    if (released) return
    released = true
    clearInterval(timer)
    for (const stop of stops) stop()
    const left = (held().get(accountId) ?? 1) - 1
    if (left > 0) held().set(accountId, left)
    else held().delete(accountId)
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

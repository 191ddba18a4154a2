import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { query } from '../../platform/database.ts'
import { notifications } from '../../platform/notifications.ts'
import { processWide } from '../../platform/process-wide.ts'
import { OWES_SECOND_FACTOR } from './session.ts'

/** Event streams that one account may hold open in one process; a forgotten tab in the background holds none. */
export const MOST_STREAMS = 100
/** How long somebody who is out can go on hearing when the notice of it was lost, and when their session simply expired. */
const LOOK_MS = 60_000

const held = () => processWide('open-streams', () => new Map<string, number>())

/** A stream's hold. `signal` aborts when whoever opened it is signed out, or is no member any more; `release` gives it back. */
export interface Hold {
  signal: AbortSignal
  release: () => void
}

/**
 * Every event stream of the dashboard begins with this: it bounds how many an account has, and ends them with the session that opened
 * them. Throws TOO_MANY_ATTEMPTS.
 */
export function holdStream(ctx: AccountCtx): Hold {
  const { accountId } = ctx
  const open = held().get(accountId) ?? 0
  if (open >= MOST_STREAMS)
    throw new ServiceError('TOO_MANY_ATTEMPTS', { message: 'Too many pages of this account are open. Close some.', retryAfter: 30 })
  held().set(accountId, open + 1)
  const out = new AbortController()
  const look = () =>
    stillIn(ctx).then(
      (inside) => inside || out.abort(),
      // A database that does not answer says nothing about anybody.
      () => {},
    )
  const membership = ctx.actor.kind === 'user' ? `${accountId}:${ctx.actor.userId}` : undefined
  const stops = [
    notifications().on('session', (id) => id === ctx.sessionId && void look()),
    notifications().on('membership', (who) => who === membership && void look()),
  ]
  const timer = setInterval(() => void look(), LOOK_MS)
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
  WHERE s.id = $1 AND s.expires_at > service_now() AND NOT ${OWES_SECOND_FACTOR}
    AND NOT EXISTS (SELECT 1 FROM membership m WHERE m.user_id = s.user_id AND m.account_id = s.account_id AND m.account_id <> $2)`

/** Whether who opened the stream may still hear. A session whose account was switched begins its streams anew. */
async function stillIn({ accountId, actor, sessionId }: AccountCtx): Promise<boolean> {
  if (actor.kind !== 'user') return true
  if ((await query('stream-member', MEMBER, [accountId, actor.userId])).length === 0) return false
  return sessionId === undefined || (await query('stream-session', SESSION, [sessionId, accountId])).length > 0
}

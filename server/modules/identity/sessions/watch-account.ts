import { setTimeout as wait } from 'node:timers/promises'
import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { beginLongAnswer, longAnswersEnding } from '../../../platform/turns/long-answers.ts'
import { isOwnerViewOpen } from './owner-view.ts'
import { LACKS_REQUIRED_SECOND_FACTOR } from './session.ts'

/** Changes in the account since the last message: their subjects, or `resync` if some may have been missed. */
type AccountChanges = 'resync' | string[]

/**
 * Yields the account's notices under `topics` until `signal` aborts, `resync` first. Batches those within `gatherMs` after a message.
 * Errors: SERVICE_UNAVAILABLE when this process stops (after a regular end, the page would not reconnect), UNAUTHENTICATED when the user is
 * signed out or no longer a member, TurnRefused if the account has too many streams open.
 */
export async function* watchAccount(
  ctx: AccountCtx,
  signal: AbortSignal,
  topics: string | string[],
  gatherMs: number,
): AsyncGenerator<AccountChanges> {
  const hold = reserveStream(ctx)
  const end = AbortSignal.any([signal, longAnswersEnding(), hold.signal])
  const touched = new Set<string>()
  let lost = true
  let wake: () => void = () => {}
  const touch = (subject: string) => {
    const [account, ...rest] = subject.split(':')
    if (account !== ctx.accountId) return
    touched.add(rest.join(':'))
    wake()
  }
  const stops = [
    ...[topics].flat().map((topic) => notifications().on(topic, touch)),
    notifications().onLost(() => {
      lost = true
      wake()
    }),
  ]
  const onEnd = () => wake()
  end.addEventListener('abort', onEnd)
  try {
    while (!end.aborted) {
      // Data read while notices are off may change unnoticed, so `resync` is sent once they are on again.
      if (lost ? notifications().live : touched.size > 0) {
        const noticed: AccountChanges = lost ? 'resync' : [...touched]
        lost = false
        touched.clear()
        yield noticed
        if (!end.aborted) await wait(gatherMs, undefined, { signal: end }).catch(() => {})
      } else {
        // No event says that notices are on again, so check their state once a second.
        const slept = new Promise<void>((resolve) => (wake = resolve))
        await (lost ? Promise.race([slept, wait(1_000)]) : slept)
      }
    }
    if (!signal.aborted) throw new ServiceError(hold.signal.aborted ? 'UNAUTHENTICATED' : 'SERVICE_UNAVAILABLE')
  } finally {
    hold.release()
    end.removeEventListener('abort', onEnd)
    for (const stop of stops) stop()
  }
}

/** Interval of the membership check, and so the longest that a stream lives after a lost notice or the session's expiry. */
const CHECK_MS = 60_000

/** A slot for one stream. `signal` aborts when the user is signed out or no longer a member. `release` frees the slot. */
export interface StreamSlot {
  signal: AbortSignal
  release: () => void
}

/** Reserves a slot for a dashboard event stream, which ends with its session. Throws TurnRefused. */
export function reserveStream(ctx: AccountCtx): StreamSlot {
  const { accountId } = ctx
  const turn = beginLongAnswer('pages', accountId)
  const out = new AbortController()
  const check = () =>
    mayStillReceive(ctx).then(
      (inside) => inside || out.abort(),
      // A database error does not prove that the session ended.
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

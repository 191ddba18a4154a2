import { setTimeout as wait } from 'node:timers/promises'
import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { longAnswersEnding } from '../../../platform/turns/long-answers.ts'
import { reserveStream } from './stream.ts'

/** Changes of the account since the last message: their subjects, or `resync` when some may have been missed. */
export type AccountChanges = 'resync' | string[]

/**
 * Yields the account's notifications under `topics` until `signal` aborts, `resync` first; batches those within `gatherMs` after a message.
 * Errors: SERVICE_UNAVAILABLE when this process stops (after a regular end the page would not reconnect), UNAUTHENTICATED when the user is
 * signed out or no longer a member, TurnRefused when the account has too many streams open.
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
      // Data read while notifications are off may change unnoticed, so `resync` is sent once they are on again.
      if (lost ? notifications().live : touched.size > 0) {
        const noticed: AccountChanges = lost ? 'resync' : [...touched]
        lost = false
        touched.clear()
        yield noticed
        if (!end.aborted) await wait(gatherMs, undefined, { signal: end }).catch(() => {})
      } else {
        // No event signals that notifications are on again, so their state is checked once a second.
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

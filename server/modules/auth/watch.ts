import { setTimeout as wait } from 'node:timers/promises'
import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { notifications } from '../../platform/notifications.ts'
import { processWide } from '../../platform/process-wide.ts'
import { holdStream } from './stream.ts'

/** What was noticed of the account since it was last said: which subjects, or `resync` when some may have been missed. */
export type Noticed = 'resync' | string[]

const ending = () => processWide('watches-ending', () => new AbortController())

/** Ends every watch, for a shutdown that should not wait for open pages. */
export const endWatches = () => ending().abort()

/**
 * Says what is noticed of the account under `topic` until `signal` aborts, `resync` first; notices that come within `gatherMs` after the
 * last word are said together. Errors: SERVICE_UNAVAILABLE when this process stops (a quiet end would tell the page that there is nothing
 * more to come, and it would not connect again), UNAUTHENTICATED when who watches is signed out or no member any more, TOO_MANY_ATTEMPTS
 * when the account has too many streams open.
 */
export async function* watchAccount(ctx: AccountCtx, signal: AbortSignal, topic: string, gatherMs: number): AsyncGenerator<Noticed> {
  const hold = holdStream(ctx)
  const end = AbortSignal.any([signal, ending().signal, hold.signal])
  const touched = new Set<string>()
  let lost = true
  let wake: () => void = () => {}
  const stops = [
    notifications().on(topic, (subject) => {
      const [account, ...rest] = subject.split(':')
      if (account !== ctx.accountId) return
      touched.add(rest.join(':'))
      wake()
    }),
    notifications().onLost(() => {
      lost = true
      wake()
    }),
  ]
  const onEnd = () => wake()
  end.addEventListener('abort', onEnd)
  try {
    while (!end.aborted) {
      // What is read while notices are off may change again unnoticed, so that nothing is said until they are back.
      if (lost ? notifications().live : touched.size > 0) {
        const noticed: Noticed = lost ? 'resync' : [...touched]
        lost = false
        touched.clear()
        yield noticed
        if (!end.aborted) await wait(gatherMs, undefined, { signal: end }).catch(() => {})
      } else {
        // Nothing wakes us when notices are back, so that is looked for once a second.
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

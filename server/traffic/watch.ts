import { setTimeout as wait } from 'node:timers/promises'
import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { changes } from '../infra/notify.ts'
import { holdStream } from '../user/stream.ts'
import { watchesEnding } from '../video/watch.ts'

/** There may be calls in the log that were not there before; also the first event, and the one after a lost connection. */
export interface TrafficEvent {
  type: 'more'
}

/** Each process writes once a second; what several write together is told together. */
const GATHER_MS = 400

/**
 * Tells when the account's request log grows until `signal` aborts. Errors: SERVICE_UNAVAILABLE when this process stops, UNAUTHENTICATED
 * when who watches is signed out or no member any more, TOO_MANY_ATTEMPTS when the account has too many streams open.
 */
export async function* watchRequests(ctx: AccountCtx, signal: AbortSignal): AsyncGenerator<TrafficEvent> {
  const hold = holdStream(ctx)
  const end = AbortSignal.any([signal, watchesEnding(), hold.signal])
  let more = true
  let wake: () => void = () => {}
  const stir = () => {
    more = true
    wake()
  }
  const stops = [changes().on('requests', (accountId) => accountId === ctx.accountId && stir()), changes().onLost(stir)]
  const onEnd = () => wake()
  end.addEventListener('abort', onEnd)
  try {
    while (!end.aborted) {
      if (more) {
        more = false
        yield { type: 'more' }
        if (!end.aborted) await wait(GATHER_MS, undefined, { signal: end }).catch(() => {})
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
    if (!signal.aborted) throw new ServiceError(hold.signal.aborted ? 'UNAUTHENTICATED' : 'SERVICE_UNAVAILABLE')
  } finally {
    hold.release()
    end.removeEventListener('abort', onEnd)
    for (const stop of stops) stop()
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { changes } from '../infra/notify.ts'
import { processWide } from '../infra/process-wide.ts'

/** Changes that come together are told together. */
const GATHER_MS = 500

const ending = () => processWide('webhook-watches-ending', () => new AbortController())

/** Ends every watch, for a shutdown that should not wait for open pages. */
export const endWebhookWatches = () => ending().abort()

/**
 * Tells, until `signal` aborts, whenever something of the account's webhooks may have changed; what it is, the pages ask for themselves.
 * Errors: SERVICE_UNAVAILABLE when this process stops.
 */
export async function* watchWebhooks(ctx: AccountCtx, signal: AbortSignal): AsyncGenerator<{ changed: true }> {
  const end = AbortSignal.any([signal, ending().signal])
  let touched = true
  let wake: () => void = () => {}
  const touch = () => {
    touched = true
    wake()
  }
  const stops = [changes().on('webhook', (subject) => subject === ctx.accountId && touch()), changes().onLost(touch)]
  const onEnd = () => wake()
  end.addEventListener('abort', onEnd)
  try {
    while (!end.aborted) {
      if (touched) {
        touched = false
        yield { changed: true }
        await wait(GATHER_MS, undefined, { signal: end }).catch(() => {})
      } else await new Promise<void>((resolve) => (wake = resolve))
    }
    if (!signal.aborted) throw new ServiceError('SERVICE_UNAVAILABLE')
  } finally {
    end.removeEventListener('abort', onEnd)
    for (const stop of stops) stop()
  }
}

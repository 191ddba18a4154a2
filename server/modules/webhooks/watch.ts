import type { AccountCtx } from '../../context.ts'
import { watchAccount } from '../auth/watch.ts'

/** Changes that come together are told together. */
const GATHER_MS = 500

/**
 * Tells, until `signal` aborts, whenever something of the account's webhooks may have changed; what it is, the pages ask for themselves.
 * Errors: watchAccount's.
 */
export async function* watchWebhooks(ctx: AccountCtx, signal: AbortSignal): AsyncGenerator<{ changed: true }> {
  for await (const _ of watchAccount(ctx, signal, 'webhook', GATHER_MS)) yield { changed: true }
}

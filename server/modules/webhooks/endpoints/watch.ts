import type { AccountCtx } from '../../../context.ts'
import { watchAccount } from '../../identity/sessions/watch-account.ts'

/** Changes within these milliseconds yield one notification. */
const GATHER_MS = 500

/**
 * Yields whenever the account's webhooks may have changed, until `signal` aborts; the pages then fetch the data.
 * Errors: those of watchAccount.
 */
export async function* watchWebhooks(ctx: AccountCtx, signal: AbortSignal): AsyncGenerator<{ changed: true }> {
  for await (const _ of watchAccount(ctx, signal, 'webhook', GATHER_MS)) yield { changed: true }
}

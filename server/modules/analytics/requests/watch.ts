import type { AccountCtx } from '../../../context.ts'
import { watchAccount } from '../../identity/sessions/watch-account.ts'

/** The log can have new entries; also sent first and after a lost connection. */
export interface TrafficEvent {
  type: 'more'
}

/** Each process writes once a second; writes within these milliseconds yield one event. */
const GATHER_MS = 400

/** Yields when the account's request log grows, until `signal` aborts. Errors: those of watchAccount. */
export async function* watchRequests(ctx: AccountCtx, signal: AbortSignal): AsyncGenerator<TrafficEvent> {
  for await (const _ of watchAccount(ctx, signal, 'requests', GATHER_MS)) yield { type: 'more' }
}

import type { AccountCtx } from '../../context.ts'
import { watchAccount } from '../auth/watch.ts'

/** There may be calls in the log that were not there before; also the first event, and the one after a lost connection. */
export interface TrafficEvent {
  type: 'more'
}

/** Each process writes once a second; what several write together is told together. */
const GATHER_MS = 400

/** Tells when the account's request log grows until `signal` aborts. Errors: watchAccount's. */
export async function* watchRequests(ctx: AccountCtx, signal: AbortSignal): AsyncGenerator<TrafficEvent> {
  for await (const _ of watchAccount(ctx, signal, 'requests', GATHER_MS)) yield { type: 'more' }
}

import { type Actor, actorName } from '../../context.ts'
import { processWide } from '../../platform/process-wide.ts'
import { type Allowance, refuse, Throttle } from './throttle.ts'

/** More than a person does by hand or a page on their behalf. Each web process counts for itself. */
export const CHANGES: Allowance = { burst: 200, everyMs: 200 }
const throttle = () => processWide('change-throttle', () => new Throttle())

/**
 * Counts one change in the dashboard against the pace of who makes it: 200 at once, then five a second. By person and not by account, so that
 * one member in a loop does not keep another from revoking a key. Errors: TOO_MANY_ATTEMPTS with `retryAfter`.
 */
export function keepChangePace(actor: Actor, limits = throttle()): void {
  const waitMs = limits.take(actorName(actor), CHANGES)
  if (waitMs > 0) refuse(waitMs)
}

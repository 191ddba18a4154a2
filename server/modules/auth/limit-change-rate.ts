import { type Actor, actorName } from '../../context.ts'
import { services } from '../../platform/container.ts'
import { type RateLimit, type Throttle, throwTooManyAttempts } from './throttle.ts'

/** Above the rate of manual use and of a page's own requests. Counted separately in each web process. */
export const CHANGES: RateLimit = { burst: 200, everyMs: 200 }
declare module '../../platform/container.ts' {
  interface Services {
    changeThrottle: Throttle
  }
}

const throttle = () => services().changeThrottle

/**
 * Counts one change in the dashboard against the user's rate limit: 200 at once, then five a second. Per user and not per account, so that
 * one member's loop does not stop another from revoking a key. Errors: TOO_MANY_ATTEMPTS with `retryAfter`.
 */
export function limitChangeRate(actor: Actor, limits = throttle()): void {
  const waitMs = limits.take(actorName(actor), CHANGES)
  if (waitMs > 0) throwTooManyAttempts(waitMs)
}

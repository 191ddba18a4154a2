import { withSharedLimit } from './shared-limit.ts'
import { ADDRESS, bucketsOf, type Origin, type RateLimit } from './throttle.ts'

/** Per user and address: strict, because an attacker who guesses second-factor codes already has the password. */
const CODE_PAIR: RateLimit = { burst: 5, everyMs: 30_000 }
/**
 * Per user from all addresses: about one chance in 300 a day at this rate. Recovery codes are exempt, so it does not lock the owner out.
 */
const CODE_USER: RateLimit = { burst: 20, everyMs: 60_000 }

/**
 * Checks a six-digit code under limits that all processes share; a correct code is not counted. Throws TOO_MANY_ATTEMPTS with `retryAfter`,
 * at most 60 s; no queue, because a queued code would expire. A device known from full sign-ins has a separate limit.
 */
export function throttledCode(userId: string, { address, known }: Origin, check: () => Promise<boolean>): Promise<boolean> {
  if (known) return withSharedLimit([[`code-known:${known}:${userId}`, CODE_PAIR]], check)
  const userLimit: [string, RateLimit] = [`codes:${userId}`, CODE_USER]
  return withSharedLimit(
    [...bucketsOf('factor', address, ADDRESS), ...bucketsOf('code', address, CODE_PAIR, `:${userId}`), userLimit],
    check,
  )
}

/** Checks a recovery code under the limit of the address alone, because the code is too long to guess. */
export const throttledRecovery = (address: string, check: () => Promise<boolean>): Promise<boolean> =>
  withSharedLimit(bucketsOf('factor', address, ADDRESS), check)

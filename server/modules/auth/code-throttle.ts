import { withSharedLimit } from './shared-limit.ts'
import { ADDRESS, type Allowance, type Origin, placesOf } from './throttle.ts'

/** An attacker who guesses the six digits of one person's second factor knows the password already: the strict one. */
const CODE_PAIR: Allowance = { burst: 5, everyMs: 30_000 }
/** The same from many addresses: about one chance in 300 a day at this pace. Recovery codes are not bound by it, so it locks no owner out. */
const CODE_PERSON: Allowance = { burst: 20, everyMs: 60_000 }

/**
 * Runs one check of a six-digit code under the limits, which all processes share; a right one counts as no try. Throws TOO_MANY_ATTEMPTS with
 * `retryAfter`, at most 60 s: no queue, for by its turn a code would be over. A device known from full sign-ins has tries of its own.
 */
export function throttledCode(userId: string, { address, known }: Origin, check: () => Promise<boolean>): Promise<boolean> {
  if (known) return withSharedLimit([[`code-known:${known}:${userId}`, CODE_PAIR]], check)
  const person: [string, Allowance] = [`codes:${userId}`, CODE_PERSON]
  return withSharedLimit([...placesOf('factor', address, ADDRESS), ...placesOf('code', address, CODE_PAIR, `:${userId}`), person], check)
}

/** The same for a recovery code: too long to guess, so only the address is held to its pace. */
export const throttledRecovery = (address: string, check: () => Promise<boolean>): Promise<boolean> =>
  withSharedLimit(placesOf('factor', address, ADDRESS), check)

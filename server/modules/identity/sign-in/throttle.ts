import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../errors.ts'
import { services } from '../../../platform/container.ts'
import { asCaller } from '../../../platform/turns/caller.ts'

/** `burst` attempts at once, then one every `everyMs`. Up to `queue` attempts can wait. */
export interface RateLimit {
  burst: number
  everyMs: number
  queue?: number
}

/** Per user and address: strict. The last attempt in the queue waits 30 s. */
const PAIR: RateLimit = { burst: 10, everyMs: 5_000, queue: 6 }
/** Per address across all users. Large enough for an office behind one address. The last attempt in the queue waits 30 s. */
export const ADDRESS: RateLimit = { burst: 100, everyMs: 2_000, queue: 15 }
/** Per user across all addresses. Only delays, because a refusal would let an attacker lock the user out. */
const EMAIL: RateLimit = { burst: 30, everyMs: 5_000 }
const EMAIL_DELAY_MS = 2_000
const SIGN_UP: RateLimit = { burst: 100, everyMs: 6_000 }

/**
 * Token buckets in memory, at most 50,000 (about 5 MB). Each process counts separately, so with `n` web processes an attacker gets `n`
 * times the allowance; the limits are harmless at ten times. Not rate-limiter-flexible, whose queue works on fixed windows.
 */
export class Throttle {
  private readonly buckets = new LRUCache<string, { left: number; at: number }>({ max: 50_000 })
  /** Addresses that a user has signed in from since this process started. */
  private readonly proven = new LRUCache<string, true>({ max: 50_000 })
  private readonly now: () => number
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<unknown>

  constructor(now: () => number = () => performance.now(), wait: (ms: number) => Promise<unknown> = sleep) {
    this.now = now
    this.wait = wait
  }

  /** Takes one attempt. Returns 0, or the milliseconds until one is available. */
  take(name: string, { burst, everyMs }: RateLimit): number {
    const turn = this.queue(name, { burst, everyMs, queue: 0 })
    return turn.refused ?? turn.waitMs
  }

  /** Takes one attempt or a place in its queue. Returns the milliseconds to wait or, if the queue is full, until a place is free. */
  queue(name: string, { burst, everyMs, queue = 0 }: RateLimit): { waitMs: number; refused?: undefined } | { refused: number } {
    const now = this.now()
    const held = this.buckets.get(name)
    const left = held ? Math.min(burst, held.left + (now - held.at) / everyMs) : burst
    if (left - 1 < -queue) return { refused: Math.ceil((1 - queue - left) * everyMs) }
    this.buckets.set(name, { left: left - 1, at: now })
    return { waitMs: Math.max(0, Math.ceil((1 - left) * everyMs)) }
  }

  /** Notes that a user signed in from an address. */
  prove(address: string): void {
    this.proven.set(address, true)
  }

  /** Returns whether a user signed in from the address before. */
  isProven(address: string): boolean {
    return this.proven.has(address)
  }

  /** Gives back a legitimate attempt. */
  refund(name: string): void {
    const held = this.buckets.get(name)
    if (held) this.buckets.set(name, { ...held, left: held.left + 1 })
  }
}

declare module '../../../platform/container.ts' {
  interface Services {
    signInThrottle: Throttle
  }
}

const throttle = () => services().signInThrottle

/** Throws TOO_MANY_ATTEMPTS with `retryAfter`. */
export function throwTooManyAttempts(waitMs: number): never {
  const seconds = Math.ceil(waitMs / 1000)
  const message = `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  throw new ServiceError('TOO_MANY_ATTEMPTS', { message, retryAfter: seconds })
}

/** How many times the allowance of one of its 65,536 /64 networks a /48 network gets. */
const WIDER = 4

/** Returns the allowance of the address and, for IPv6 (addresses here are /64), also of its /48, a site's usual allocation (RFC 6177). */
export function bucketsOf(kind: string, address: string, { burst, everyMs, queue }: RateLimit, rest = ''): [string, RateLimit][] {
  const own: [string, RateLimit] = [`${kind}:${address}${rest}`, { burst, everyMs, queue }]
  if (!address.includes(':')) return [own]
  const wider = { burst: burst * WIDER, everyMs: everyMs / WIDER, queue: queue && queue * WIDER }
  return [own, [`${kind}:${address.split(':', 3).join(':')}::/48${rest}`, wider]]
}

/** Where an attempt comes from: an address and, if recognized, this user's device or session. */
export interface Origin {
  address: string
  known: string | undefined
}

/**
 * Runs one sign-in attempt under the limits. Counts it beforehand and gives it back on success, so that concurrent attempts cannot exceed
 * them. Beyond its burst, an attempt waits up to 30 s (32 s under the user's limit), so a correct password works during an attack from its
 * address. Refused if the queue is full (TOO_MANY_ATTEMPTS with `retryAfter`). A known device has its own queue, and devices and addresses
 * that users have signed in from take turns apart from strangers.
 */
export async function throttledSignIn<T>(
  email: string,
  { address, known }: Origin,
  attempt: () => Promise<T | undefined>,
  limits = throttle(),
): Promise<T | undefined> {
  // The address first: a refused address creates no new buckets, so it cannot evict others.
  const allowances: [string, RateLimit][] = known
    ? [[`known:${known}:${email}`, PAIR]]
    : [...bucketsOf('address', address, ADDRESS), ...bucketsOf('pair', address, PAIR, `:${email}`)]
  const taken: string[] = []
  let waitMs = 0
  for (const [name, allowance] of allowances) {
    const turn = limits.queue(name, allowance)
    if (turn.refused !== undefined) {
      for (const given of taken) limits.refund(given)
      throwTooManyAttempts(turn.refused)
    }
    taken.push(name)
    waitMs = Math.max(waitMs, turn.waitMs)
  }
  const userBucket = `email:${email}`
  if (!known) {
    if (limits.take(userBucket, EMAIL) === 0) taken.push(userBucket)
    else waitMs += EMAIL_DELAY_MS
  }
  if (waitMs > 0) await limits.wait(waitMs)
  const refund = () => {
    for (const name of taken) limits.refund(name)
  }
  // An attempt that failed with an error (the service is busy) was not a guess.
  const isProven = known !== undefined || limits.isProven(address)
  const result = await (isProven ? asCaller({ subject: ['known', known ?? address] }, attempt) : attempt()).catch((error) => {
    refund()
    throw error
  })
  if (result === undefined) return undefined
  refund()
  limits.prove(address)
  return result
}

/** Limits how many accounts one address creates. Throws TOO_MANY_ATTEMPTS. */
export function throttleSignUp(address: string): void {
  takeAll(bucketsOf('sign-up', address, SIGN_UP))
}

/** Takes one attempt from each allowance, or from none. Throws TOO_MANY_ATTEMPTS. */
function takeAll(wanted: [string, RateLimit][]): void {
  const taken: string[] = []
  for (const [name, allowance] of wanted) {
    const waitMs = throttle().take(name, allowance)
    if (waitMs === 0) taken.push(name)
    else {
      for (const given of taken) throttle().refund(given)
      throwTooManyAttempts(waitMs)
    }
  }
}

const RESET: RateLimit = { burst: 10, everyMs: 60_000 }

/** Limits how many password reset links one address can request. Throws TOO_MANY_ATTEMPTS. */
export function throttleResetRequest(address: string): void {
  takeAll(bucketsOf('reset-request', address, RESET))
}

/** Limits how many password reset links one address can try, because each attempt hashes a password. Throws TOO_MANY_ATTEMPTS. */
export function throttleReset(address: string): void {
  takeAll(bucketsOf('reset', address, RESET))
}

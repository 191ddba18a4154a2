import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../errors.ts'
import { processWide } from '../../platform/process-wide.ts'

/** `burst` tries at once, then one every `everyMs`; `queue` of them may wait for their turn. */
export interface Allowance {
  burst: number
  everyMs: number
  queue?: number
}

/** Somebody guessing one person's password from one address: the strict one. The last in the queue waits 30 s. */
const PAIR: Allowance = { burst: 10, everyMs: 5_000, queue: 6 }
/** Somebody trying many people from one address; an office behind one address must fit in. The last in the queue waits 30 s. */
export const ADDRESS: Allowance = { burst: 100, everyMs: 2_000, queue: 15 }
/** One person's password guessed from many addresses. Only slows down: a refusal would let anybody lock them out. */
const EMAIL: Allowance = { burst: 30, everyMs: 5_000 }
const EMAIL_DELAY_MS = 2_000
const SIGN_UP: Allowance = { burst: 100, everyMs: 6_000 }

/**
 * Token buckets in memory, at most 50,000 (about 5 MB). Each process counts for itself, so with `n` web processes an
 * attacker gets `n` times the allowance; the bounds are chosen to be harmless at ten times.
 */
export class Throttle {
  private readonly buckets = new LRUCache<string, { left: number; at: number }>({ max: 50_000 })
  private readonly now: () => number
  /** Ends after so many milliseconds. */
  readonly wait: (ms: number) => Promise<unknown>

  constructor(now: () => number = () => performance.now(), wait: (ms: number) => Promise<unknown> = sleep) {
    this.now = now
    this.wait = wait
  }

  /** Takes one try. Answers 0, or how many milliseconds until there is one to take. */
  take(name: string, { burst, everyMs }: Allowance): number {
    const turn = this.queue(name, { burst, everyMs, queue: 0 })
    return turn.refused ?? turn.waitMs
  }

  /** Takes one try, or a place in the queue for one: how long until its turn; or, with the queue full, until there is a place. */
  queue(name: string, { burst, everyMs, queue = 0 }: Allowance): { waitMs: number; refused?: undefined } | { refused: number } {
    const now = this.now()
    const held = this.buckets.get(name)
    const left = held ? Math.min(burst, held.left + (now - held.at) / everyMs) : burst
    if (left - 1 < -queue) return { refused: Math.ceil((1 - queue - left) * everyMs) }
    this.buckets.set(name, { left: left - 1, at: now })
    return { waitMs: Math.max(0, Math.ceil((1 - left) * everyMs)) }
  }

  /** Returns a try that turned out to be honest. */
  giveBack(name: string): void {
    const held = this.buckets.get(name)
    if (held) this.buckets.set(name, { ...held, left: held.left + 1 })
  }
}

const throttle = () => processWide('sign-in-throttle', () => new Throttle())

/** Throws TOO_MANY_ATTEMPTS, with when to try again. */
export function refuse(waitMs: number): never {
  const seconds = Math.ceil(waitMs / 1000)
  const message = `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  throw new ServiceError('TOO_MANY_ATTEMPTS', { message, retryAfter: seconds })
}

/** How many times the allowance of one address its wider network has, in which a site has 65,536 such addresses. */
const WIDER = 4

/** One allowance as those of the address and, of IPv6 (whose addresses here are of 64 bits), of the 48 bits that one site is given (RFC 6177). */
export function placesOf(kind: string, address: string, { burst, everyMs, queue }: Allowance, rest = ''): [string, Allowance][] {
  const own: [string, Allowance] = [`${kind}:${address}${rest}`, { burst, everyMs, queue }]
  if (!address.includes(':')) return [own]
  const wider = { burst: burst * WIDER, everyMs: everyMs / WIDER, queue: queue && queue * WIDER }
  return [own, [`${kind}:${address.split(':', 3).join(':')}::/48${rest}`, wider]]
}

/** Where a try comes from: an address, and a device or session that was this person's before, where it shows one. */
export interface Origin {
  address: string
  known: string | undefined
}

/**
 * Runs one sign-in attempt under the limits. Tries are taken before and given back when `attempt` succeeds, so that a
 * thousand at once are not all let through. Beyond its burst an attempt waits for its turn, 30 s at most (32 s where the person is tried
 * from everywhere), and is then made: so a right password gets in from an address where somebody guesses. Only with the queue full is it refused
 * (TOO_MANY_ATTEMPTS with `retryAfter`); a known device waits in no queue but its own.
 */
export async function throttledSignIn<T>(
  email: string,
  { address, known }: Origin,
  attempt: () => Promise<T | undefined>,
  limits = throttle(),
): Promise<T | undefined> {
  // The address first: one that is refused makes no new buckets, and so cannot push others' out.
  const wanted: [string, Allowance][] = known
    ? [[`known:${known}:${email}`, PAIR]]
    : [...placesOf('address', address, ADDRESS), ...placesOf('pair', address, PAIR, `:${email}`)]
  const taken: string[] = []
  let waitMs = 0
  for (const [name, allowance] of wanted) {
    const turn = limits.queue(name, allowance)
    if (turn.refused !== undefined) {
      for (const given of taken) limits.giveBack(given)
      refuse(turn.refused)
    }
    taken.push(name)
    waitMs = Math.max(waitMs, turn.waitMs)
  }
  const person = `email:${email}`
  if (!known) {
    if (limits.take(person, EMAIL) === 0) taken.push(person)
    else waitMs += EMAIL_DELAY_MS
  }
  if (waitMs > 0) await limits.wait(waitMs)
  const giveBack = () => {
    for (const name of taken) limits.giveBack(name)
  }
  // An attempt that could not be made (the service is busy) was no guess.
  const result = await attempt().catch((error) => {
    giveBack()
    throw error
  })
  if (result !== undefined) giveBack()
  return result
}

/** Bounds how many accounts one address makes. Throws TOO_MANY_ATTEMPTS. */
export function throttleSignUp(address: string): void {
  takeAll(placesOf('sign-up', address, SIGN_UP))
}

/** Takes one try of each, or of none. Throws TOO_MANY_ATTEMPTS. */
function takeAll(wanted: [string, Allowance][]): void {
  const taken: string[] = []
  for (const [name, allowance] of wanted) {
    const waitMs = throttle().take(name, allowance)
    if (waitMs === 0) taken.push(name)
    else {
      for (const given of taken) throttle().giveBack(given)
      refuse(waitMs)
    }
  }
}

const RESET: Allowance = { burst: 10, everyMs: 60_000 }

/** Bounds how many links for a new password one address asks for. Throws TOO_MANY_ATTEMPTS. */
export function throttleResetRequest(address: string): void {
  takeAll(placesOf('reset-request', address, RESET))
}

/** Bounds how many such links one address tries: each try hashes a password. Throws TOO_MANY_ATTEMPTS. */
export function throttleReset(address: string): void {
  takeAll(placesOf('reset', address, RESET))
}

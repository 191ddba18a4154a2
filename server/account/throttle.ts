import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../errors.ts'
import { processWide } from '../infra/process-wide.ts'

/** `burst` tries at once, then one every `everyMs`; `queue` of them may wait for their turn. */
interface Allowance {
  burst: number
  everyMs: number
  queue?: number
}

/** Somebody guessing one person's password from one address: the strict one. The last in the queue waits 30 s. */
const PAIR: Allowance = { burst: 10, everyMs: 5_000, queue: 6 }
/** Somebody trying many people from one address; an office behind one address must fit in. The last in the queue waits 30 s. */
const ADDRESS: Allowance = { burst: 100, everyMs: 2_000, queue: 15 }
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

function refuse(waitMs: number): never {
  const seconds = Math.ceil(waitMs / 1000)
  const message = `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  throw new ServiceError('TOO_MANY_ATTEMPTS', { message, retryAfter: seconds })
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
    : [
        [`address:${address}`, ADDRESS],
        [`pair:${address}:${email}`, PAIR],
      ]
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
  const result = await attempt()
  if (result !== undefined) for (const name of taken) limits.giveBack(name)
  return result
}

/** Bounds how many accounts one address makes. Throws TOO_MANY_ATTEMPTS. */
export function throttleSignUp(address: string): void {
  const refused = throttle().take(`sign-up:${address}`, SIGN_UP)
  if (refused) refuse(refused)
}

/** Somebody guessing the six digits of one person's second factor: whoever does knows the password already. */
const CODE_PAIR: Allowance = { burst: 5, everyMs: 30_000 }
/** The same from many addresses: about one chance in 300 a day at this pace. Recovery codes are not bound by it, so nobody is locked out. */
const CODE_PERSON: Allowance = { burst: 20, everyMs: 60_000 }

/**
 * Runs one check of a six-digit code under the limits; a right one counts as no try. Throws TOO_MANY_ATTEMPTS with `retryAfter`, at most 60 s: no
 * queue, for by its turn a code would be over. A device known from full sign-ins has tries of its own.
 */
export function throttledCode(userId: string, { address, known }: Origin, check: () => Promise<boolean>): Promise<boolean> {
  const limits: [string, Allowance][] = known
    ? [[`code-known:${known}:${userId}`, CODE_PAIR]]
    : [
        [`address:${address}`, ADDRESS],
        [`code:${address}:${userId}`, CODE_PAIR],
        [`codes:${userId}`, CODE_PERSON],
      ]
  return under(limits, check)
}

/** The same for a recovery code: too long to guess, so only the address is held to its pace. */
export const throttledRecovery = (address: string, check: () => Promise<boolean>): Promise<boolean> =>
  under([[`address:${address}`, ADDRESS]], check)

async function under(limits: [string, Allowance][], check: () => Promise<boolean>): Promise<boolean> {
  const taken: string[] = []
  for (const [name, allowance] of limits) {
    const waitMs = throttle().take(name, allowance)
    if (waitMs === 0) taken.push(name)
    else {
      for (const given of taken) throttle().giveBack(given)
      refuse(waitMs)
    }
  }
  const right = await check()
  if (right) for (const name of taken) throttle().giveBack(name)
  return right
}

const RESET: Allowance = { burst: 10, everyMs: 60_000 }

/** Bounds how many links for a new password one address asks for. Throws TOO_MANY_ATTEMPTS. */
export function throttleResetRequest(address: string): void {
  const refused = throttle().take(`reset-request:${address}`, RESET)
  if (refused) refuse(refused)
}

/** Bounds how many such links one address tries: each try hashes a password. Throws TOO_MANY_ATTEMPTS. */
export function throttleReset(address: string): void {
  const refused = throttle().take(`reset:${address}`, RESET)
  if (refused) refuse(refused)
}

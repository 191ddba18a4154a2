import { log } from '../observe/log.ts'
import { counter } from '../observe/metrics.ts'
import { type Caller, lastCaller } from './caller.ts'

/** A turn is reported from this many milliseconds of processor time. All other requests wait in the meantime. */
const SLOW_MS = 50
/** Milliseconds between checks, and so the precision. */
const CHECK_MS = 10
/** Milliseconds between two log lines. */
const QUIET_MS = 10_000

export const slowTurns = counter(
  'reelgate_slow_turns_total',
  'Event loop turns that took more than 50 ms of processor time while every other request waited.',
  {},
)

interface Clock {
  now(): number
  /** This thread's processor time in milliseconds. */
  cpuMs(): number
}

const CLOCK: Clock = {
  now: () => performance.now(),
  cpuMs: () => {
    // Before 23.9, Node knows only the time of all threads together.
    const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
    return (user + system) / 1_000
  },
}

/**
 * Reports turns of the event loop that take more than `SLOW_MS` of processor time, using a timer that is due in each of them. A turn that
 * waits for a processor on a busy machine does not count.
 */
export class LoopMonitor {
  private readonly describe: (caller: Caller) => string
  private readonly clock: Clock
  private cpuMs: number
  private quietUntil = 0
  private unreported = 0
  private timer: NodeJS.Timeout | undefined

  /** `describe`: what a caller asked for, without secrets. */
  constructor(describe: (caller: Caller) => string, clock = CLOCK) {
    this.describe = describe
    this.clock = clock
    this.cpuMs = clock.cpuMs()
  }

  start(): void {
    this.timer = setInterval(() => this.check(), CHECK_MS).unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /** Checks the turn since the last check. */
  check(): void {
    const before = this.cpuMs
    this.cpuMs = this.clock.cpuMs()
    const now = this.clock.now()
    const caller = lastCaller().beforeLongestPause(now)
    if (this.cpuMs - before > SLOW_MS) this.report(this.cpuMs - before, now, caller)
  }

  private report(cpuMs: number, now: number, caller: Caller | undefined): void {
    slowTurns.add({})
    if (now < this.quietUntil) {
      this.unreported++
      return
    }
    const probably = caller && { request: this.describe(caller), account: caller.accountId }
    log().warn({ cpuMs: Math.round(cpuMs), probably, unreported: this.unreported }, 'a turn of the event loop took long')
    this.quietUntil = now + QUIET_MS
    this.unreported = 0
  }
}

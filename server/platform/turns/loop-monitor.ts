import { log } from '../observe/log.ts'
import { count, counter } from '../observe/metrics.ts'
import { type Caller, lastCaller } from './caller.ts'

/** Milliseconds of processor time of a turn that is reported; all other requests wait meanwhile. */
const SLOW_MS = 50
/** Interval of the checks in milliseconds: a turn is known to it. */
const CHECK_MS = 10
/** Milliseconds between two lines of the log. */
const QUIET_MS = 10_000

export const slowTurns = counter(
  'reelgate_slow_turns_total',
  'Turns of the event loop that took more than 50 ms of processor time: every other request waited for them.',
  {},
)

interface Clock {
  now(): number
  /** Processor time of this thread in milliseconds. */
  cpuMs(): number
}

const CLOCK: Clock = {
  now: () => performance.now(),
  cpuMs: () => {
    // Node before 23.9 knows the time of all threads alone.
    const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
    return (user + system) / 1_000
  },
}

/**
 * Reports turns of the event loop that take more than `SLOW_MS` of processor time, by a timer that is due in each of them. A turn on a busy
 * machine that waits for a processor is not one of them.
 */
export class LoopMonitor {
  private readonly describe: (caller: Caller) => string
  private readonly clock: Clock
  private cpuMs: number
  private quietUntil = 0
  private unreported = 0
  private timer: NodeJS.Timeout | undefined

  /** `describe`: what a caller asks for, without secrets. */
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

  /** Judges the turn since the last check. */
  check(): void {
    const before = this.cpuMs
    this.cpuMs = this.clock.cpuMs()
    const now = this.clock.now()
    const caller = lastCaller().beforeLongestPause(now)
    if (this.cpuMs - before > SLOW_MS) this.report(this.cpuMs - before, now, caller)
  }

  private report(cpuMs: number, now: number, caller: Caller | undefined): void {
    count(slowTurns.cell({}))
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

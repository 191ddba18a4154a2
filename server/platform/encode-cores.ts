import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { childEnvironment, env } from './config.ts'
import { services } from './container.ts'
import { log } from './log.ts'

/** Milliseconds that encodes leave the core free after the last report of so many requests. */
const CALM_MS = 30_000

/**
 * The cores on which programs in the background run: all, or all but one while web processes of this machine receive many requests. In the
 * idle class alone an encode delays those of another service, container or session more than twice (docs/decisions/0110).
 */
export class EncodeCores {
  private readonly programs = new Set<number>()
  private sparesUntil = Number.NEGATIVE_INFINITY
  private canPin: boolean | undefined
  private prefix: string[] = []
  /** Those that this process had before it left one of them to requests itself. */
  private all: readonly number[] = []

  /** Returns the command prefix that keeps a program off the free core; empty while all cores are used. */
  command(): string[] {
    return this.prefix
  }

  /** Changes the cores of a running program too, until `remove`; of this process where it serves no requests itself. */
  add(pid: number): void {
    this.programs.add(pid)
  }

  remove(pid: number): void {
    this.programs.delete(pid)
  }

  /**
   * Takes the requests a second that the web processes of this machine received of late. `now` is in milliseconds of `performance.now`.
   * Threads that a program has started since the last call, and which still use all cores, are moved by the next one.
   */
  report(requestsPerSec: number, now = performance.now()): void {
    const from = env().TRANSCODE_SPARE_CORE_RATE
    if (from === 0) return
    if (requestsPerSec >= from) this.sparesUntil = now + CALM_MS
    const spared = this.prefix.length > 0
    if (!spared) this.all = allowedCores()
    const spares = now < this.sparesUntil && this.all.length > 1 && this.pins()
    if (!spares && !spared) return
    if (spares !== spared) log().info(spares ? 'encodes leave a core to requests' : 'encodes use all cores')
    const used = (spares ? this.all.slice(0, -1) : this.all).join(',')
    this.prefix = spares ? ['taskset', '-c', used] : []
    for (const pid of this.programs) this.move(pid, used)
  }

  /** Whether this system has `taskset`, of util-linux or Busybox. */
  private pins(): boolean {
    this.canPin ??= spawnSync('taskset', ['-c', '0-1023', 'true'], { env: childEnvironment() }).status === 0
    return this.canPin
  }

  private move(pid: number, cores: string): void {
    execFile('taskset', ['-a', '-c', '-p', cores, String(pid)], { env: childEnvironment() }, (error) => {
      // One that has ended has no cores.
      if (error && this.programs.has(pid)) log().warn({ err: error.message, pid }, 'the cores of a program could not be changed')
    })
  }
}

/** Returns the numbers of the cores that this process may use, from a list such as `0-3,6`; none where the system has no such list. */
function allowedCores(): number[] {
  if (process.platform !== 'linux') return []
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return (list?.split(',') ?? []).flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}

declare module './container.ts' {
  interface Services {
    encodeCores: EncodeCores
  }
}

export const encodeCores = () => services().encodeCores

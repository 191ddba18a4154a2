import type { Worker } from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import { services } from '../platform/container.ts'
import { gauge } from '../platform/observe/metrics.ts'
import { combine, type Family } from '../platform/observe/metrics-text.ts'

/** Milliseconds that a web process has to report. After that, its last counts are used. */
const PATIENCE_MS = 2_000

interface Report {
  /** Number of the request that it responds to. */
  metricsOf: number
  families: Family[]
}

/**
 * The metrics of the web processes that this process supervises. A process's counts stay when it ends. Otherwise each sum would fall, and
 * Prometheus would take that for a restart and count the rest again.
 */
export class GatheredMetrics {
  /** Each running process's last report. Undefined before its first. */
  private readonly running = new Map<Worker, Family[] | undefined>()
  /** Counts of ended processes. */
  private ended: Family[][] = []
  private requests = 0
  private responding = 0
  /** How many processes should run. */
  readonly wanted: number

  constructor(wanted: number) {
    this.wanted = wanted
  }

  /** Processes by whether they reported when last asked. */
  get counts(): { wanted: number; responding: number } {
    return { wanted: this.wanted, responding: this.responding }
  }

  add(worker: Worker): void {
    this.running.set(worker, undefined)
    worker.once('exit', () => {
      const last = this.running.get(worker)
      this.running.delete(worker)
      if (last) this.ended.push(countsOf(last))
    })
  }

  /** Asks every process, and returns their reports and the counts of ended ones. */
  async read(): Promise<Family[][]> {
    const request = ++this.requests
    const reported = new Set<Worker>()
    const done = new AbortController()
    const all = [...this.running.keys()].map((worker) =>
      this.ask(worker, request, done.signal).then((families) => {
        if (!families || !this.running.has(worker)) return
        this.running.set(worker, families)
        reported.add(worker)
      }),
    )
    const late = wait(PATIENCE_MS, undefined, { signal: done.signal, ref: false }).catch(() => {})
    await Promise.race([Promise.all(all), late])
    done.abort()
    await this.compact()
    this.responding = reported.size
    const running = [...this.running].flatMap(([worker, last]) => (last ? [reported.has(worker) ? last : countsOf(last)] : []))
    return [...this.ended, ...running]
  }

  private ask(worker: Worker, request: number, signal: AbortSignal): Promise<Family[] | undefined> {
    return new Promise((resolve) => {
      const receive = (message: Partial<Report>) => message.metricsOf === request && end(message.families)
      const stop = () => end(undefined)
      const end = (families: Family[] | undefined) => {
        worker.off('message', receive).off('exit', stop)
        signal.removeEventListener('abort', stop)
        resolve(families)
      }
      worker.on('message', receive).on('exit', stop)
      signal.addEventListener('abort', stop)
      if (!worker.isConnected()) return stop()
      worker.send({ metricsFor: request }, (error) => error && stop())
    })
  }

  private async compact(): Promise<void> {
    const some = this.ended
    if (some.length < 2) return
    const one = await combine(some)
    this.ended = [one, ...this.ended.slice(some.length)]
  }
}

/** Returns only counters: a process's gauges end with it. */
const countsOf = (families: Family[]) => families.filter(({ type }) => type === 'counter' || type === 'histogram')

/** Makes this web process report its metrics to the process that started it. */
export function reportMetrics(read: () => Promise<Family[]>): void {
  process.on('message', async ({ metricsFor }: { metricsFor?: number }) => {
    if (metricsFor === undefined) return
    const report: Report = { metricsOf: metricsFor, families: await read() }
    if (process.connected) process.send?.(report, undefined, {}, () => {})
  })
}

declare module '../platform/container.ts' {
  interface Services {
    /** Set in a process that supervises web processes. */
    gatheredMetrics: { current?: GatheredMetrics }
  }
}

export const gatheredMetrics = () => services().gatheredMetrics

export const webProcesses = gauge(
  'reelgate_web_processes',
  'Web processes (WEB_PROCESSES): how many should run, and how many respond.',
  () => {
    const counts = gatheredMetrics().current?.counts
    return counts && Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }))
  },
)

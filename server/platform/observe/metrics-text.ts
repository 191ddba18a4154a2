import { setTimeout as wait } from 'node:timers/promises'
import type { Registry } from '@prometheus-io/client'
import { services } from '../container.ts'
import { log } from './log.ts'
import { counter, type Metric, type Sample } from './metrics.ts'

/** One metric's values in one process, in the form of `@prometheus-io/client`. Processes send them to each other as JSON. */
export interface Family {
  name: string
  help: string
  type: string
  aggregator: string
  values: Sample[]
}

export const readErrors = counter('reelgate_metrics_read_errors_total', 'Values that /metrics could not read.')

/** Milliseconds after which a value is left out: a scrape must not wait for an unresponsive database. */
const PATIENCE_MS = 5_000

/** How to combine the library's metrics of several processes, where its own choice would hide a process that is slow or missing. */
const ACROSS: Record<string, string> = {
  nodejs_eventloop_lag_seconds: 'max',
  nodejs_eventloop_lag_mean_seconds: 'max',
  nodejs_eventloop_lag_stddev_seconds: 'max',
  nodejs_eventloop_lag_p50_seconds: 'max',
  nodejs_eventloop_lag_p90_seconds: 'max',
  nodejs_eventloop_lag_p99_seconds: 'max',
  process_start_time_seconds: 'min',
  process_max_fds: 'min',
}

/** Quantiles of several processes cannot be added up; the histogram of the same values can. */
const LEFT_OUT = 'nodejs_eventloop_utilization_summary'

declare module '../container.ts' {
  interface Services {
    /** This process's library metrics, measured from the first reading on. */
    processMetrics: { registry?: Promise<Registry> }
  }
}

async function makeProcessMetrics(): Promise<Registry> {
  // Takes 50 ms, so only where `/metrics` is served.
  const { collectDefaultMetrics, Registry } = await import('@prometheus-io/client')
  const register = new Registry()
  collectDefaultMetrics({ register })
  register.removeSingleMetric(LEFT_OUT)
  return register
}

/** Starts measuring this process's event loop, memory and garbage collection. */
export function measureProcess(): Promise<Registry> {
  const held = services().processMetrics
  held.registry ??= makeProcessMetrics()
  return held.registry
}

/** Reads this process's metrics. Leaves out and counts values that cannot be read, or not in time. */
export async function readFamilies(metrics: readonly Metric[]): Promise<Family[]> {
  const failed: string[] = []
  const own = metrics.map(async (metric): Promise<Family> => {
    const { name, help, type, across } = metric
    const values = await withinPatience(metric).catch((error: Error) => {
      failed.push(`${name}: ${error.message}`)
      readErrors.add({})
      return []
    })
    return { name, help, type, aggregator: across, values: values.filter(({ value }) => Number.isFinite(value)) }
  })
  const library = (await (await measureProcess()).getMetricsAsJSON()) as Family[]
  const families = [...(await Promise.all(own)), ...library.map(comparable)]
  if (failed.length > 0) log().warn({ failed }, 'could not read some values of /metrics')
  return families
}

const comparable = (family: Family): Family => ({
  ...family,
  aggregator: ACROSS[family.name] ?? family.aggregator,
  // JSON has neither NaN nor infinity, which the lag of the event loop is before its first measurement.
  values: family.values.filter(({ value }) => Number.isFinite(value)),
})

async function withinPatience(metric: Metric): Promise<Sample[]> {
  const done = new AbortController()
  const late = wait(PATIENCE_MS, undefined, { signal: done.signal, ref: false }).then(() => {
    throw new Error(`not read within ${PATIENCE_MS} ms`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([metric.read(), late])
  } finally {
    done.abort()
  }
}

/** Combines the readings of several processes: sums counters, and combines each gauge as it declares. */
export async function combine(processes: readonly Family[][]): Promise<Family[]> {
  return (await (await aggregated(processes)).getMetricsAsJSON()) as Family[]
}

/** Renders the combined readings in the Prometheus text format. */
export async function render(processes: readonly Family[][]): Promise<{ contentType: string; text: string }> {
  const registry = await aggregated(processes)
  return { contentType: registry.contentType, text: await registry.metrics() }
}

async function aggregated(processes: readonly Family[][]): Promise<Registry> {
  const { Registry } = await import('@prometheus-io/client')
  return Registry.aggregate([...processes])
}

import { setTimeout as wait } from 'node:timers/promises'
import type { Registry } from '@prometheus-io/client'
import { services } from '../container.ts'
import { log } from './log.ts'
import { counter, type Metric, type Sample } from './metrics.ts'

/** The values of one metric in one process, in the form of `@prometheus-io/client`; they are sent between processes as JSON. */
export interface Family {
  name: string
  help: string
  type: string
  aggregator: string
  values: Sample[]
}

export const readErrors = counter('reelgate_metrics_read_errors_total', 'Values that could not be read for a response of /metrics.')

/** Milliseconds after which a value is left out: a scrape must not wait for a database that does not respond. */
const PATIENCE_MS = 5_000

/** How the library's metrics of several processes become one, where its own choice hides the process that is slow or is left out. */
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

/** Quantiles of several processes have no sum; the histogram of the same values has. */
const LEFT_OUT = 'nodejs_eventloop_utilization_summary'

declare module '../container.ts' {
  interface Services {
    /** The library's metrics of this process, measured from the first reading on. */
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

/** Starts measuring the event loop, memory and garbage collection of this process. */
export function measureProcess(): Promise<Registry> {
  const held = services().processMetrics
  held.registry ??= makeProcessMetrics()
  return held.registry
}

/** Reads metrics of this process. A value that cannot be read, or not in time, is left out and counted. */
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
  if (failed.length > 0) log().warn({ failed }, 'some values of /metrics could not be read')
  return families
}

const comparable = (family: Family): Family => ({
  ...family,
  aggregator: ACROSS[family.name] ?? family.aggregator,
  // JSON has no infinity; the event loop's lag has none before its first measurement.
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

/** Combines what processes read into one: sums of counters, and of each gauge what it declares. */
export async function combine(processes: readonly Family[][]): Promise<Family[]> {
  return (await (await aggregated(processes)).getMetricsAsJSON()) as Family[]
}

/** Renders what processes read, combined, in the text format of Prometheus. */
export async function render(processes: readonly Family[][]): Promise<{ contentType: string; text: string }> {
  const registry = await aggregated(processes)
  return { contentType: registry.contentType, text: await registry.metrics() }
}

async function aggregated(processes: readonly Family[][]): Promise<Registry> {
  const { Registry } = await import('@prometheus-io/client')
  return Registry.aggregate([...processes])
}

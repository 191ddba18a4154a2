import { LRUCache } from 'lru-cache'
import { services } from '../container.ts'
import { type Metric, type Reading, type Sample, samplesOf } from './metrics.ts'

/** Milliseconds after which a reading is taken again. */
const FRESH_MS = 10_000

/**
 * Declares values about the installation that are read from the database, at most once in `FRESH_MS` by each process. `read` returns the
 * value of each name; it should take milliseconds for any number of rows.
 */
export function gaugesFromDatabase<Name extends string>(helps: Record<Name, string>, read: () => Promise<Record<Name, Reading>>): Metric[] {
  const names = Object.keys(helps) as Name[]
  const key = names[0] as Name
  return names.map((name) => ({
    name,
    help: helps[name],
    type: 'gauge',
    across: 'first',
    fromDatabase: true,
    read: async () => (await latest(key, read))[name] ?? [],
  }))
}

/** Declares one such value. */
export const gaugeFromDatabase = (name: string, help: string, read: () => Promise<Reading>): Metric[] =>
  gaugesFromDatabase({ [name]: help }, async () => ({ [name]: await read() }))

type Samples = Record<string, Sample[]>

interface Runs {
  /** By name: the metrics of one statement share its run. */
  byKey: LRUCache<string, Promise<Samples>>
  /** Settles with the last of them. They run one after another, so that a scrape takes one pool connection. */
  last: Promise<unknown>
}

declare module '../container.ts' {
  interface Services {
    metricRuns: Runs
  }
}

export const makeMetricRuns = (): Runs => ({ byKey: new LRUCache({ max: 100, ttl: FRESH_MS }), last: Promise.resolve() })

function latest(key: string, read: () => Promise<Record<string, Reading>>): Promise<Samples> {
  const runs = services().metricRuns
  const known = runs.byKey.get(key)
  if (known) return known
  const run = runs.last
    .then(read)
    .then((readings) => Object.fromEntries(Object.entries(readings).map(([name, reading]) => [name, samplesOf(reading)])))
  runs.byKey.set(key, run)
  runs.last = run.catch(() => runs.byKey.delete(key))
  return run
}

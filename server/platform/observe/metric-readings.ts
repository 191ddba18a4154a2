import { services } from '../container.ts'
import { query } from '../database/database.ts'
import { type Metric, type Reading, type Sample, samplesOf } from './metrics.ts'

/** Seconds after which a reading is taken again. */
const FRESH_SEC = 10
/** Seconds after which a reading is no longer reported, because its statement fails or the process that takes it was killed. */
const STALE_SEC = 60

/**
 * Declares values about the installation that are read from the database. The first process that is asked takes the reading, and all report
 * it from the table `metric_reading` for `FRESH_SEC`, so that more processes do not cost more. `read` returns the value of each name; it
 * should take milliseconds for any number of rows.
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
  byKey: Map<string, Promise<Samples>>
  /** Settles with the last of them. They run one after another, so that a scrape takes one pool connection. */
  last: Promise<unknown>
}

declare module '../container.ts' {
  interface Services {
    metricRuns: Runs
  }
}

export const makeMetricRuns = (): Runs => ({ byKey: new Map(), last: Promise.resolve() })

function latest(key: string, read: () => Promise<Record<string, Reading>>): Promise<Samples> {
  const runs = services().metricRuns
  const known = runs.byKey.get(key)
  if (known) return known
  const run = runs.last.then(() => readOnce(key, read)).finally(() => runs.byKey.delete(key))
  runs.byKey.set(key, run)
  runs.last = run.catch(() => {})
  return run
}

async function readOnce(key: string, read: () => Promise<Record<string, Reading>>): Promise<Samples> {
  const [due] = await query('claim-metric-reading', CLAIM, [key, FRESH_SEC, STALE_SEC])
  if (due) return take(key, read)
  const [held] = await query<{ samples: Samples | null }>('metric-reading', HELD, [key, STALE_SEC])
  return held?.samples ?? {}
}

async function take(key: string, read: () => Promise<Record<string, Reading>>): Promise<Samples> {
  try {
    const samples = Object.fromEntries(Object.entries(await read()).map(([name, reading]) => [name, samplesOf(reading)]))
    await query('store-metric-reading', STORE, [key, JSON.stringify(samples)])
    return samples
  } catch (error) {
    await query('end-metric-reading', END, [key])
    throw error
  }
}

/** Returns a row to the one process that takes the reading now, so that a slow reading is not taken twice at once. */
const CLAIM = `
  INSERT INTO metric_reading (name, claimed_at, taking) VALUES ($1, service_clock(), true)
  ON CONFLICT (name) DO UPDATE SET claimed_at = service_clock(), taking = true
  WHERE metric_reading.claimed_at < service_clock() - make_interval(secs => CASE WHEN metric_reading.taking THEN $3::int ELSE $2::int END)
  RETURNING name`

const STORE = 'UPDATE metric_reading SET samples = $2, read_at = service_clock(), taking = false WHERE name = $1'

const END = 'UPDATE metric_reading SET taking = false WHERE name = $1'

const HELD = 'SELECT samples FROM metric_reading WHERE name = $1 AND read_at > service_clock() - make_interval(secs => $2)'

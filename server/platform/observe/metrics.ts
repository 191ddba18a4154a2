import { services } from '../container.ts'
import type { MaybePromise } from '../maybe-promise.ts'

/**
 * What a process measures, as a table of metrics (`server/metrics.ts`). Measuring is an addition in memory; reading, naming and rendering
 * happen when `/metrics` is requested.
 */
export interface Metric {
  /** With the unit (`_seconds`, `_bytes`), and `_total` for counters. */
  name: string
  /** One sentence. */
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** How to combine the values of several processes that share one `/metrics`. */
  across: Across
  /** Whether it describes the installation, so that only one of several processes reads it. */
  fromDatabase?: true
  read(): MaybePromise<Sample[]>
}

export type Across = 'sum' | 'max' | 'min' | 'first'

/** One line of the response. */
export interface Sample {
  value: number
  labels: Labels
  /** For a histogram, the name with `_bucket`, `_sum` or `_count`. */
  metricName?: string
}

type Labels = Record<string, string | number>

/**
 * A metric's labels and their values, all known in advance, so that series are bounded and each exists with 0 before its first event. `ANY`
 * is for values that the program sets at start, such as routes; never for IDs, keys, names or other user input.
 */
type LabelValues = Record<string, readonly string[]>
type LabelsOf<L extends LabelValues> = { [Name in keyof L]: L[Name][number] }

/** The values of a label that the program sets at start. */
export const ANY: readonly string[] = []

/** The series of a metric, by the values of its labels. */
type Series = Map<string, { labels: Labels; numbers: Float64Array }>

declare module '../container.ts' {
  interface Services {
    /** The numbers that this process has counted, by metric. */
    metricCells: Map<string, Series>
  }
}

export const makeMetricCells = (): Map<string, Series> => new Map()

abstract class Measured<L extends LabelValues> implements Metric {
  abstract readonly type: Metric['type']
  readonly across = 'sum'
  readonly name: string
  readonly help: string
  private readonly labels: L

  constructor(name: string, help: string, labels: L) {
    this.name = name
    this.help = help
    this.labels = labels
  }

  protected abstract readonly size: number
  protected abstract samplesOf(labels: Labels, numbers: Float64Array): Sample[]

  /** Returns the numbers of one series. */
  cell(labels: LabelsOf<L>): Float64Array {
    let key = ''
    for (const name in this.labels) key += `${labels[name]}\n`
    const mine = this.cells()
    const known = mine.get(key)
    if (known) return known.numbers
    const numbers = new Float64Array(this.size)
    mine.set(key, { labels: { ...labels }, numbers })
    return numbers
  }

  private cells(): Series {
    const all = services().metricCells
    const known = all.get(this.name)
    if (known) return known
    const made: Series = new Map()
    all.set(this.name, made)
    return made
  }

  read(): Sample[] {
    for (const labels of combinations(this.labels)) this.cell(labels as LabelsOf<L>)
    return [...this.cells().values()].flatMap(({ labels, numbers }) => this.samplesOf(labels, numbers))
  }
}

/** Returns every combination of the values. None if a label's values are set at start. */
const combinations = (labels: LabelValues): Record<string, string>[] =>
  Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [name, values]) => all.flatMap((made) => values.map((value) => ({ ...made, [name]: value }))),
    [{}],
  )

/** Counts events. */
class Counter<L extends LabelValues> extends Measured<L> {
  readonly type = 'counter'
  protected readonly size = 1

  add(labels: LabelsOf<L>, by = 1): void {
    const cell = this.cell(labels)
    cell[0] = (cell[0] as number) + by
  }

  protected samplesOf(labels: Labels, [value = 0]: Float64Array): Sample[] {
    return [{ value, labels }]
  }
}

/** Counts values by size. A cell has one number per bound, one for larger values, and their sum. */
class Histogram<L extends LabelValues> extends Measured<L> {
  readonly type = 'histogram'
  protected readonly size: number
  private readonly bounds: readonly number[]

  constructor(name: string, help: string, labels: L, bounds: readonly number[]) {
    super(name, help, labels)
    this.bounds = bounds
    this.size = bounds.length + 2
  }

  observe(labels: LabelsOf<L>, value: number): void {
    const [cell, bound] = [this.cell(labels), this.bounds.findIndex((one) => value <= one)]
    const [at, sum] = [bound < 0 ? this.bounds.length : bound, this.bounds.length + 1]
    cell[at] = (cell[at] as number) + 1
    cell[sum] = (cell[sum] as number) + value
  }

  protected samplesOf(labels: Labels, numbers: Float64Array): Sample[] {
    let sofar = 0
    const buckets = [...this.bounds, '+Inf'].map((le, at) => {
      sofar += numbers[at] as number
      return { metricName: `${this.name}_bucket`, labels: { ...labels, le }, value: sofar }
    })
    const sum = numbers[this.bounds.length + 1] as number
    return [...buckets, { metricName: `${this.name}_sum`, labels, value: sum }, { metricName: `${this.name}_count`, labels, value: sofar }]
  }
}

/** Declares a counter. Its name ends with `_total`. */
export const counter = <const L extends LabelValues = Record<never, never>>(name: string, help: string, labels: L = {} as L) =>
  new Counter<L>(name, help, labels)

/** Declares a histogram with these upper bounds. */
export const histogram = <const L extends LabelValues = Record<never, never>>(
  name: string,
  help: string,
  bounds: readonly number[],
  labels: L = {} as L,
) => new Histogram<L>(name, help, labels, bounds)

/** A gauge's value: one number, several with labels, or currently none. */
export type Reading = number | undefined | { value: number; labels: Record<string, string> }[]

export const samplesOf = (reading: Reading): Sample[] =>
  Array.isArray(reading) ? reading : reading === undefined ? [] : [{ value: reading, labels: {} }]

/** Declares a value of this process. `read` returns it when `/metrics` is requested. */
export const gauge = (name: string, help: string, read: () => MaybePromise<Reading>, across: Across = 'sum'): Metric => ({
  name,
  help,
  type: 'gauge',
  across,
  read: async () => samplesOf(await read()),
})

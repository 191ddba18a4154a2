/** One quantity of a chart. */
export interface ChartSeries {
  name: string
  label: string
  /** A CSS colour. */
  color: string
  /** One value for each point; null without data: a gap of a line, nothing of a bar. */
  values: readonly (number | null)[]
}

/** What a chart draws. */
export interface ChartData {
  /** Bars for counts, stacked; lines for rates and latency. */
  kind: 'bars' | 'lines'
  /** Beginnings of the periods, oldest first: `2026-11-21`, `2026-11-21T14:00Z`; or any other labels. */
  at: readonly string[]
  series: readonly ChartSeries[]
  /** The same quantity in the period before; the sum of the series for stacked bars. Drawn as a faint line. */
  previous?: { label: string; values: readonly (number | null)[] } | undefined
  /** Whether the last period still runs. */
  unfinished?: boolean | undefined
}

/** The heights of the grid lines of a chart, from zero; the last is the top. */
export type Scale = readonly number[]

const STEPS = [1, 2, 2.5, 5, 10]

/** Returns a scale for values of up to `most`, of about `lines` steps; whole numbers when all values are. */
export function scaleOf(most: number, lines: number, whole: boolean): Scale {
  const wanted = (most > 0 ? most : 1) / lines
  const power = 10 ** Math.floor(Math.log10(wanted))
  const steps = STEPS.map((step) => step * power).filter((step) => !whole || Number.isInteger(step))
  const step = steps.find((one) => one >= wanted * 0.999) ?? Math.max(1, power * 10)
  const count = Math.max(1, Math.ceil((most > 0 ? most : 1) / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)))
}

/** Returns the largest value of a chart: of the stacks for bars. */
export function mostOf({ kind, at, series, previous }: ChartData): number {
  const known = (values: readonly (number | null)[]) => values.map((value) => value ?? 0)
  const heights = kind === 'bars' ? at.map((_, index) => totalAt(series, index) ?? 0) : series.flatMap(({ values }) => known(values))
  return Math.max(0, ...heights, ...known(previous?.values ?? []))
}

/** Returns the sum of all series at a point; null when none has a value. */
export function totalAt(series: readonly ChartSeries[], index: number): number | null {
  const values = series.flatMap(({ values }) => values[index] ?? [])
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

const utc = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' })
const [day, weekday, month, year] = [
  utc({ month: 'short', day: 'numeric' }),
  utc({ weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' }),
  utc({ month: 'short' }),
  utc({ year: 'numeric' }),
]

const HOUR_MS = 3_600_000
const isHour = (at: string) => /^\d{4}-\d\d-\d\dT/.test(at)
const isDay = (at: string) => /^\d{4}-\d\d-\d\d$/.test(at)

/** Returns the unit of a chart's periods; undefined when its labels are no times. */
export const unitOf = (at: readonly string[]): 'hour' | 'day' | undefined =>
  isHour(at[0] ?? '') ? 'hour' : isDay(at[0] ?? '') ? 'day' : undefined

/** Formats a period in full, UTC: `Sat, Nov 21, 2026`, `Sat, Nov 21, 2026, 14:00–15:00`. */
export function formatPeriod(at: string): string {
  if (isDay(at)) return weekday.format(new Date(at))
  if (!isHour(at)) return at
  const begin = new Date(at)
  return `${weekday.format(begin)}, ${clock(begin)}–${clock(new Date(begin.getTime() + HOUR_MS))}`
}

const clock = (date: Date) => date.toISOString().slice(11, 16)

/** Returns the instants at which the periods from `first` to `last` begin and end, as ISO strings. */
export function spanOf(first: string, last: string): { from: string; to: string } {
  const end = new Date(last).getTime() + (isHour(last) ? 1 : 24) * HOUR_MS
  return { from: new Date(first).toISOString(), to: new Date(end).toISOString() }
}

export interface Tick {
  index: number
  label: string
}

/** Pixels that a label needs, its distance to the next included. */
const [NARROW, WIDE] = [54, 66]

/** Returns the labels of the time axis, as many as fit in bands of `band` pixels: midnights and full hours, days, or months. */
export function ticksOf(at: readonly string[], band: number): Tick[] {
  const unit = unitOf(at)
  const all = at.map((moment, index) => ({ index, moment, date: new Date(moment) }))
  if (unit === 'hour') {
    const step = [1, 2, 3, 6, 12, 24].find((hours) => hours * band >= NARROW) ?? 48
    return all
      .filter(({ date }) => (date.getTime() / HOUR_MS) % step === 0)
      .map(({ index, date }) => ({ index, label: date.getUTCHours() === 0 ? day.format(date) : clock(date) }))
  }
  if (unit === 'day' && at.length > 120) {
    const step = [1, 2, 3, 6].find((months) => months * 30 * band >= NARROW) ?? 12
    return all
      .filter(({ date }) => date.getUTCDate() === 1 && date.getUTCMonth() % step === 0)
      .map(({ index, date }) => ({ index, label: (date.getUTCMonth() === 0 ? year : month).format(date) }))
  }
  const step = [1, 2, 3, 4, 5, 7, 14, 28].find((count) => count * band >= (unit ? WIDE : NARROW)) ?? 56
  // Days are counted back from the last one, which is today in most cases; other labels from the first.
  return all
    .filter(({ index }) => (unit ? at.length - 1 - index : index) % step === 0)
    .map(({ index, moment, date }) => ({ index, label: unit ? day.format(date) : moment }))
}

/** Splits a line into its unbroken parts: indices of points with a value. */
export function partsOf(values: readonly (number | null)[]): number[][] {
  const parts: number[][] = []
  for (const [index, value] of values.entries()) {
    if (value === null) continue
    if (index > 0 && values[index - 1] !== null) parts.at(-1)?.push(index)
    else parts.push([index])
  }
  return parts
}

/** A quantity in a period, and in the period before. */
export interface Comparison {
  now: number
  before: number
}

/** Compares two periods by their finished parts: a day that has only begun cannot be compared with a whole one. */
export function compare(
  values: readonly (number | null)[],
  before: readonly (number | null)[],
  unfinished: boolean | undefined,
): Comparison {
  const length = values.length - (unfinished ? 1 : 0)
  const sum = (all: readonly (number | null)[]) => all.slice(0, length).reduce<number>((total, value) => total + (value ?? 0), 0)
  return { now: sum(values), before: sum(before) }
}

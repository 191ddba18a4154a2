/** How a video was watched so far. Days are UTC days; entry 0 is the present one, entry 1 the day before. */
export interface WatchHistory {
  plays: readonly number[]
  watchSec: readonly number[]
  /** Share of the present day that is over, above 0. */
  todayShare: number
  /** Days since the video could first be watched, with fractions. */
  ageDays: number
}

/** Days that a forecast reaches ahead, and that are read for it. */
export const HORIZON_DAYS = 30
export const HISTORY_DAYS = 28

/** After these days an observation has half of its weight. A whole week keeps weekdays and weekends in proportion. */
const HALF_LIFE_DAYS = 7

/**
 * How the rate of a video falls with its age: as (age + 1)^-decline. Audiences of published videos fall by a power law of their age, with
 * exponents that differ; all are flat for a video that is old. Higher weights are held to be more usual before anything is known.
 */
const DECLINES = [
  { decline: 0, weight: 0.3 },
  { decline: 0.5, weight: 0.3 },
  { decline: 1, weight: 0.25 },
  { decline: 1.5, weight: 0.15 },
]

/** Plays that judge the shape of a decline, at most: further ones are not independent, as audiences come in waves. */
const MOST_PLAYS = 40

/**
 * Plays of which the forecast has half of what was observed. Few plays are mostly chance, and of many videos with few plays those that had the
 * most would be taken for popular.
 */
const DOUBT_PLAYS = 4

/**
 * Returns the seconds that viewers will watch a video in the next `days` days: the mean over several shapes of decline, each scaled to what was
 * watched and weighted by how well it explains the plays of each day. Pure.
 */
export function forecastWatch(history: WatchHistory, days = HORIZON_DAYS): number {
  const observed = observe(history)
  const plays = observed.reduce((sum, day) => sum + day.plays, 0)
  if (plays === 0) return 0
  const shapes = DECLINES.map(({ decline, weight }) => {
    const shape = observed.map(({ age, exposure }) => exposure * (age + 1) ** -decline)
    const expected = sum(observed, ({ weight: w }, at) => w * (shape[at] as number))
    const rate = sum(observed, ({ weight: w, watchSec }) => w * watchSec) / expected
    return { likelihood: Math.log(weight) + likelihood(observed, shape, plays), seconds: rate * area(history.ageDays, days, decline) }
  })
  const best = Math.max(...shapes.map((shape) => shape.likelihood))
  const weights = shapes.map((shape) => Math.exp(shape.likelihood - best))
  const seconds = sum(shapes, (shape, at) => shape.seconds * (weights[at] as number)) / sum(weights, (weight) => weight)
  const heard = sum(observed, (day) => day.weight * day.plays)
  return (seconds * heard) / (heard + DOUBT_PLAYS)
}

interface ObservedDay {
  plays: number
  watchSec: number
  /** Days since it, as a weight. */
  weight: number
  /** Days for which the video could be watched on it, and its age in their middle. */
  exposure: number
  age: number
}

/** Returns the days on which the video could be watched. */
function observe({ plays, watchSec, todayShare, ageDays }: WatchHistory): ObservedDay[] {
  const days: ObservedDay[] = []
  for (let at = 0; at < HISTORY_DAYS; at++) {
    const end = at === 0 ? 0 : todayShare + at - 1
    const begin = Math.min(todayShare + at, ageDays)
    if (begin <= end) break
    const age = ageDays - (begin + end) / 2
    days.push({
      plays: plays[at] ?? 0,
      watchSec: watchSec[at] ?? 0,
      weight: 2 ** (-(begin + end) / 2 / HALF_LIFE_DAYS),
      exposure: begin - end,
      age,
    })
  }
  return days
}

/** Returns the logarithm of how likely a shape makes the distribution of the plays over the days. */
function likelihood(observed: readonly ObservedDay[], shape: readonly number[], plays: number): number {
  const all = sum(shape, (value) => value)
  const each = sum(observed, (day, at) => day.plays * Math.log((shape[at] as number) / all))
  return each * Math.min(1, MOST_PLAYS / plays)
}

/** Integral of (age + 1)^-decline over the next `days` days. */
function area(age: number, days: number, decline: number): number {
  if (decline === 1) return Math.log((age + days + 1) / (age + 1))
  const rise = 1 - decline
  return ((age + days + 1) ** rise - (age + 1) ** rise) / rise
}

function sum<T>(list: readonly T[], value: (one: T, at: number) => number): number {
  return list.reduce((total, one, at) => total + value(one, at), 0)
}

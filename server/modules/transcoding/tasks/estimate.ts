/** Seconds left, and the range within which eight in ten videos ended. */
export interface Estimate {
  seconds: number
  low: number
  high: number
}

/** Measurements of recent videos, the latest first. */
export interface EncodingHistory {
  /** Pixels that one worker encoded per second, all renditions together. */
  rates: readonly number[]
  /** Seconds from the last chunk or track to completion. */
  finishSec: readonly number[]
  /** Actual seconds divided by predicted ones. */
  errors: readonly number[]
}

export interface RemainingWork {
  /** Pixels still to be encoded, by task, in task order. */
  pixels: readonly number[]
  /** How many of the video's tasks run at the same time. */
  slots: number
  /** Rates of the finished tasks of this video. */
  rates: readonly number[]
}

/** From this many finished tasks, a video's own rates predict the rest better than other videos' do. */
const OWN_ENOUGH = 2
/** Predictions that must be scored before their errors set the range. */
const ERRORS_ENOUGH = 5
/** Until then, the range as factors. */
const UNKNOWN = { low: 0.5, high: 2 }

/** Predicts the seconds until a video is complete. Undefined while no rate was measured. */
export function estimateWork(work: RemainingWork, history: EncodingHistory): Estimate | undefined {
  const rate = median(work.rates.length >= OWN_ENOUGH ? work.rates : [...work.rates, ...history.rates])
  if (rate === undefined) return undefined
  const seconds = makespan(
    work.pixels.map((pixels) => pixels / rate),
    work.slots,
  )
  return withBounds(seconds + (median(history.finishSec) ?? 0), history.errors)
}

function withBounds(seconds: number, errors: readonly number[]): Estimate {
  const known = errors.length >= ERRORS_ENOUGH
  const low = known ? (quantile(errors, 0.1) as number) : UNKNOWN.low
  const high = known ? (quantile(errors, 0.9) as number) : UNKNOWN.high
  const whole = (value: number) => Math.max(1, Math.round(value))
  return { seconds: whole(seconds), low: whole(seconds * Math.min(1, low)), high: whole(seconds * Math.max(1, high)) }
}

/** Returns when the last of `durations` ends if `slots` workers take them in order. */
export function makespan(durations: readonly number[], slots: number): number {
  const ends = new Array<number>(Math.max(1, Math.min(slots, durations.length))).fill(0)
  for (const duration of durations) {
    const first = ends.indexOf(Math.min(...ends))
    ends[first] = (ends[first] ?? 0) + duration
  }
  return Math.max(...ends)
}

/** Returns the value that the share `at` (0 to 1) of the values do not exceed, interpolated. Undefined if there are none. */
export function quantile(values: readonly number[], at: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b)
  const place = (sorted.length - 1) * at
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (below === undefined || above === undefined) return undefined
  return below + (above - below) * (place - Math.floor(place))
}

const median = (values: readonly number[]) => quantile(values, 0.5)

/** Bit rates of a media playlist, as EXT-X-STREAM-INF states them, in bits per second. */
export interface MeasuredRates {
  bandwidth: number
  averageBandwidth: number
}

/** What counts about a segment: its duration in seconds and its size. */
export interface MeasuredSegment {
  durationSec: number
  bytes: number
}

/** Durations are sums of binary fractions, and a run of exactly half a target duration must count. */
const TOLERANCE_SEC = 1e-6

/** Shorter media is no basis for a rate. */
const LEAST_SEC = 0.04

/** Returns the whole number of seconds that no segment exceeds, at least 1. */
export const targetDuration = (seconds: readonly number[]): number =>
  seconds.reduce((most, one) => Math.max(most, Math.ceil(one - TOLERANCE_SEC)), 1)

/**
 * Returns the average bit rate and the peak: the highest rate of any contiguous run of segments that lasts 0.5 to 1.5 target durations (RFC
 * 8216bis §4.4.6.2). Media without such a run is shorter than half a target duration: its average is its peak.
 */
export function measureRates(segments: readonly MeasuredSegment[]): MeasuredRates {
  const target = targetDuration(segments.map(({ durationSec }) => durationSec))
  const total = segments.reduce((sum, one) => ({ bytes: sum.bytes + one.bytes, sec: sum.sec + one.durationSec }), { bytes: 0, sec: 0 })
  const averageBandwidth = rate(total.bytes, total.sec)
  return {
    averageBandwidth,
    bandwidth: segments.reduce((most, _, first) => Math.max(most, peakFrom(segments, first, target)), averageBandwidth),
  }
}

/** Returns the highest rate of the runs that start with the segment `first`. 0 if none is long enough. */
function peakFrom(segments: readonly MeasuredSegment[], first: number, target: number): number {
  let [seconds, bytes, peak] = [0, 0, 0]
  for (let at = first; at < segments.length; at++) {
    const { durationSec, bytes: more } = segments[at] as MeasuredSegment
    seconds += durationSec
    bytes += more
    if (seconds > 1.5 * target + TOLERANCE_SEC) break
    if (seconds >= 0.5 * target - TOLERANCE_SEC) peak = Math.max(peak, rate(bytes, seconds))
  }
  return peak
}

const rate = (bytes: number, seconds: number) => Math.ceil((bytes * 8) / Math.max(seconds, LEAST_SEC))

import { expect, it } from 'vitest'
import { type MeasuredSegment, measureRates, targetDuration } from './measure-rates.ts'

const of = (...segments: [seconds: number, bytes: number][]): MeasuredSegment[] =>
  segments.map(([durationSec, bytes]) => ({ durationSec, bytes }))

it('states the rate of the densest segment', () =>
  expect(measureRates(of([4, 1_000], [4, 4_000], [4, 1_000]))).toEqual({ bandwidth: 8_000, averageBandwidth: 4_000 }))

it('counts a short last segment together with the one before it', () =>
  // 1.9 s are less than half a target duration; 5.9 s are not.
  expect(measureRates(of([4, 2_000], [4, 2_000], [1.9, 200_000])).bandwidth).toBe(Math.ceil((202_000 * 8) / 5.9)))

it('counts a segment of exactly half a target duration alone', () =>
  expect(measureRates(of([4, 2_000], [2, 200_000])).bandwidth).toBe(800_000))

it('ignores runs longer than one and a half target durations', () =>
  // 1.9 s and 4.2 s are 6.1 s of at most 7.5: together they count. 1.9, 4.2 and 1.9 s are 8 s: they do not.
  expect(measureRates(of([1.9, 90_000], [4.2, 100], [1.9, 90_000], [5, 0], [5, 0], [5, 0])).bandwidth).toBe(Math.ceil((90_100 * 8) / 6.1)))

it('states the average of media that is shorter than half a target duration', () =>
  expect(measureRates(of([0.2, 1_000]))).toEqual({ bandwidth: 40_000, averageBandwidth: 40_000 }))

it('states no rate without media', () => expect(measureRates([])).toEqual({ bandwidth: 0, averageBandwidth: 0 }))

it('never states a peak below the average, nor below the rate of any run it counts', () => {
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  for (let round = 0; round < 300; round++) {
    const segments = Array.from({ length: 1 + Math.floor(random() * 12) }, () => ({
      durationSec: 0.1 + random() * 5,
      bytes: Math.floor(random() * 1e6),
    }))
    const { bandwidth, averageBandwidth } = measureRates(segments)
    expect(bandwidth).toBeGreaterThanOrEqual(averageBandwidth)
    const target = targetDuration(segments.map(({ durationSec }) => durationSec))
    for (let first = 0; first < segments.length; first++) {
      for (let after = first + 1; after <= segments.length; after++) {
        const run = segments.slice(first, after)
        const seconds = run.reduce((sum, { durationSec }) => sum + durationSec, 0)
        const bits = run.reduce((sum, { bytes }) => sum + bytes * 8, 0)
        if (seconds >= 0.5 * target && seconds <= 1.5 * target) expect(bandwidth).toBeGreaterThanOrEqual(Math.floor(bits / seconds))
      }
    }
  }
})

it('rounds the longest duration up, but for the error of binary fractions', () => {
  expect(targetDuration([4.004, 1])).toBe(5)
  expect(targetDuration([0.1 + 0.2 + 3.7, 1])).toBe(4)
  expect(targetDuration([])).toBe(1)
})

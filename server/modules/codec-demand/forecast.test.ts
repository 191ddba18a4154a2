import { describe, expect, it } from 'vitest'
import { forecastWatch, HISTORY_DAYS, type WatchHistory } from './forecast.ts'

/** A video whose plays on a day at `age` days are `rate(age)`, each of 100 seconds. */
const history = (ageDays: number, rate: (age: number) => number, todayShare = 1): WatchHistory => {
  const plays = Array.from({ length: HISTORY_DAYS }, (_, at) => {
    const end = at === 0 ? 0 : todayShare + at - 1
    const begin = Math.min(todayShare + at, ageDays)
    return begin <= end ? 0 : rate(ageDays - (begin + end) / 2) * (begin - end)
  })
  return { plays, watchSec: plays.map((count) => count * 100), todayShare, ageDays }
}

describe('forecastWatch', () => {
  it('expects an old video with a steady audience to keep it', () => {
    expect(forecastWatch(history(500, () => 20)) / (30 * 20 * 100)).toBeCloseTo(1, 1)
  })

  it('expects a new video to fade, by its own plays once it has a few days', () => {
    const first = forecastWatch(history(1, () => 1_000)) / (30 * 1_000 * 100)
    expect(first).toBeGreaterThan(0.15)
    expect(first).toBeLessThan(0.6)
    const truth = (decline: number) =>
      Array.from({ length: 30 }, (_, day) => 1_000 * (12.5 + day) ** -decline).reduce((a, b) => a + b, 0) * 100
    for (const decline of [0, 0.5, 1, 1.5]) {
      const ratio = forecastWatch(history(12, (age) => 1_000 * (age + 1) ** -decline)) / truth(decline)
      expect(ratio, `decline ${decline}`).toBeGreaterThan(0.7)
      expect(ratio, `decline ${decline}`).toBeLessThan(1.3)
    }
  })

  it('gives recent days more weight', () => {
    const rising = forecastWatch(history(300, (age) => (age > 293 ? 40 : 10)))
    const falling = forecastWatch(history(300, (age) => (age > 293 ? 10 : 40)))
    // Against the mean of the four weeks.
    expect(rising / (30 * 17.5 * 100)).toBeGreaterThan(1.25)
    expect(falling / (30 * 32.5 * 100)).toBeLessThan(0.95)
  })

  it('takes few plays for chance', () => {
    const single = forecastWatch(history(300, (age) => (age > 299 ? 1 : 0)))
    expect(single).toBeGreaterThan(0)
    expect(single).toBeLessThan((0.3 * forecastWatch(history(300, (age) => (age > 299 ? 100 : 0)))) / 100 + 1_000)
    expect(forecastWatch(history(300, () => 0))).toBe(0)
  })

  it('takes the part of the present day for what it is', () => {
    const morning = forecastWatch(history(400, () => 50, 0.1))
    const evening = forecastWatch(history(400, () => 50, 0.9))
    expect(morning / evening).toBeCloseTo(1, 1)
  })

  it('is finite for a video of a minute, and for one without a past', () => {
    expect(forecastWatch(history(1 / 1_440, () => 1_440, 0.5))).toBeGreaterThan(0)
    expect(forecastWatch({ plays: [], watchSec: [], todayShare: 0.5, ageDays: 0 })).toBe(0)
  })
})

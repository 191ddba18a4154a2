import { describe, expect, it } from 'vitest'
import type { Quality } from '../measure-quality.ts'
import { describeRateFactors, factorBetween, searchRateFactor } from './rate-factor.ts'

const GOAL = { mean: 93, p5: 88 }
const quality = (mean: number, p5 = mean): Quality => ({ mean, p5, min: p5, pictures: 100 })

/** Searches with a quality that follows from the rate factor; also returns the rate factors that were measured. */
async function searched(of: (rateFactor: number) => Quality) {
  const tried: number[] = []
  const found = await searchRateFactor({ goal: GOAL }, async (rateFactor) => {
    tried.push(rateFactor)
    return of(rateFactor)
  })
  return { ...found, tried }
}
const line = (at24: number, slope: number) => (rateFactor: number) => quality(at24 - slope * (rateFactor - 24))

describe('searchRateFactor', () => {
  it.each([
    [99, 1],
    [96, 0.7],
    [97, 1.9],
    [91, 1.2],
    [90.5, 2.4],
    [93.2, 3],
  ])('reaches the mean within a point from %d at 24 with %d points a unit', async (at24, slope) => {
    const found = await searched(line(at24, slope))
    expect(Math.abs(found.quality.mean - GOAL.mean)).toBeLessThanOrEqual(1)
    expect(found.tried.length).toBeLessThanOrEqual(4)
    expect(found.quality).toEqual(line(at24, slope)(found.rateFactor))
  })

  // Measured with several pictures: loss of VMAF at 24, and the logarithm by which it grows with a unit.
  it.each([
    [3.1, 0.135],
    [7.7, 0.1],
    [11.6, 0.127],
    [7.1, 0.168],
  ])('needs at most two measurements for a loss of %d at 24 that grows by %d', async (at24, growth) => {
    const found = await searched((rateFactor) => quality(100 - at24 * Math.exp(growth * (rateFactor - 24))))
    expect(found.tried.length).toBeLessThanOrEqual(2)
    expect(Math.abs(found.quality.mean - GOAL.mean)).toBeLessThanOrEqual(1)
  })

  it('measures the loss from what a smaller size reaches without any', async () => {
    const tried: number[] = []
    const reached = (rateFactor: number) => 84.5 - 8.8 * Math.exp(0.126 * (rateFactor - 24))
    const found = await searchRateFactor({ goal: { mean: 77.5, p5: 70 }, lossless: { mean: 84.5, p5: 82 } }, async (rateFactor) => {
      tried.push(rateFactor)
      return quality(reached(rateFactor))
    })
    expect(tried).toEqual([24, 22])
    expect(found.rateFactor).toBe(22)
  })

  it('ends after one measurement near the goal', async () => expect((await searched(line(93.4, 1.2))).tried).toEqual([24]))

  it('follows the 5th percentile where it is further from its goal', async () => {
    const found = await searched((rateFactor) => quality(98 - (rateFactor - 24), 86 - (rateFactor - 24)))
    expect(Math.abs(found.quality.p5 - GOAL.p5)).toBeLessThanOrEqual(1)
  })

  it('reaches the mean within a point although measurements vary', async () => {
    // Differences of half a point, of either sign from one rate factor to the next.
    const noisy = (rateFactor: number) => quality(97 - (rateFactor - 24) + (Math.round(rateFactor * 2) % 2 === 0 ? 0.5 : -0.5))
    expect(Math.abs((await searched(noisy)).quality.mean - GOAL.mean)).toBeLessThanOrEqual(1)
  })

  it('keeps within the bounds', async () => {
    expect((await searched(line(100, 0.1))).rateFactor).toBe(32)
    expect((await searched(line(60, 1))).rateFactor).toBe(20)
  })

  it('takes the fewest bytes where a cap makes the quality independent of the rate factor', async () => {
    const capped = await searched(() => quality(80))
    expect(capped.rateFactor).toBe(24)
    expect(capped.tried).toEqual([24, 20])
  })

  it('passes the error of a measurement on', async () => {
    await expect(searchRateFactor({ goal: GOAL }, () => Promise.reject(new Error('no scorer')))).rejects.toThrow('no scorer')
  })
})

describe('factorBetween', () => {
  const [top, low] = [
    { side: 1080, rateFactor: 24 },
    { side: 540, rateFactor: 28 },
  ]
  it.each([
    [1080, 24],
    [720, 26.5],
    [540, 28],
    [240, 28],
    [2160, 24],
  ])('of %d lines is %d', (side, rateFactor) => expect(factorBetween(side, top, low)).toBe(rateFactor))
})

it('describes what was found, and nothing else', () => {
  const search = { target: 'standard' as const, costSec: 1, from: 2, spans: [], searched: ['720p'] }
  const found = [
    { quality: '720p', rateFactor: 26.5, measured: quality(93.21, 90) },
    { quality: '480p', rateFactor: 27, measured: null },
  ]
  expect(describeRateFactors({ ...search, found })).toBe(
    'Rate factors for standard picture quality: 720p 26.5 (VMAF 93.2, 5th percentile 90.0), 480p 27.',
  )
  expect(describeRateFactors({ ...search, found: [] })).toBeUndefined()
  expect(describeRateFactors(search)).toBeUndefined()
})

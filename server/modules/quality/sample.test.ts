import { expect, it } from 'vitest'
import { displayOf, MOST_PAIRS, pairStarts, picturesIn, sampleFilters } from './sample.ts'

it.each([1, 2, 3, 31, 33, 40, 240, 1_439])('takes pairs of %i pictures in order that do not overlap', (frames) => {
  const pairs = pairStarts(frames)
  expect(pairs).toHaveLength(Math.max(1, Math.min(MOST_PAIRS, Math.floor(frames / 2))))
  for (const [at, start] of pairs.entries()) {
    if (at > 0) expect(start).toBeGreaterThanOrEqual((pairs[at - 1] as number) + 2)
    expect(start + Math.min(2, frames)).toBeLessThanOrEqual(frames)
  }
  expect(picturesIn(pairs, frames)).toBe(frames === 1 ? 1 : 2 * pairs.length)
})

it('takes pairs at different distances from key frames', () => {
  const places = new Set(pairStarts(480).map((start) => start % 60))
  expect(places.size).toBeGreaterThan(10)
})

it('compares at the size of the highest rendition, at most 1080p', () => {
  expect(displayOf({ width: 854, height: 480 })).toEqual({ width: 854, height: 480 })
  expect(displayOf({ width: 3840, height: 2160 })).toEqual({ width: 1920, height: 1080 })
  expect(displayOf({ width: 2160, height: 3840 })).toEqual({ width: 1080, height: 1920 })
  expect(sampleFilters([0, 7], { frames: 9, display: { width: 64, height: 36 } }).join(',')).toContain('between(n,0,1)+between(n,7,8)')
})

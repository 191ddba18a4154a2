import { describe, expect, it } from 'vitest'
import { boundOf, type Fleet, simulateFleet, type VideoWork } from './simulate-fleet.ts'

const WORK: VideoWork = { planSec: 1, chunkSec: [10, 10, 10, 10], soundSec: [], finishSec: 2, sourceBytes: 0 }
const fleet = (workers: number, more: Partial<Fleet> = {}): Fleet => ({
  ...{ workers, workerBytesPerSec: 100, bucketBytesPerSec: 1_000, leaseSec: 0 },
  ...more,
})

describe('simulateFleet', () => {
  it('runs the plan, then chunks, then the last step', () => {
    expect(simulateFleet(WORK, fleet(1))).toEqual({
      playableSec: 11,
      completedSec: 43,
      chunksSec: 41,
      soundSec: 0,
      searchSec: 0,
      copySec: 0,
    })
    expect(simulateFleet(WORK, fleet(2)).completedSec).toBeCloseTo(23)
    expect(simulateFleet(WORK, fleet(4)).completedSec).toBeCloseTo(13)
    expect(simulateFleet(WORK, fleet(100)).completedSec).toBeCloseTo(13)
  })

  it('divides a core between a chunk and sound, which begins after the first chunk', () => {
    // From 11 s to 21 s both have half of the core.
    const found = simulateFleet({ ...WORK, chunkSec: [10, 10], soundSec: [5] }, fleet(1))
    expect([found.playableSec, found.soundSec, found.chunksSec, found.completedSec].map(Math.round)).toEqual([11, 21, 26, 28])
    // Another worker without a chunk has a core for it.
    expect(simulateFleet({ ...WORK, chunkSec: [10], soundSec: [5] }, fleet(2)).soundSec).toBeCloseTo(6)
  })

  it('copies the source to each worker once, at most as fast as the bucket', () => {
    const work = { ...WORK, sourceBytes: 1_000 }
    expect(simulateFleet(work, fleet(1))).toMatchObject({ copySec: 10, completedSec: 53 })
    // The three others copy after the plan, at 50 bytes a second each.
    expect(simulateFleet(work, fleet(4, { bucketBytesPerSec: 150 })).copySec).toBeCloseTo(11 + 20)
  })

  it('searches after the chunks that do not wait, or next to them', () => {
    const work = { ...WORK, search: { sec: 15, from: 1 } }
    expect(simulateFleet(work, fleet(1))).toMatchObject({ searchSec: 26, completedSec: 58 })
    // The other worker searches from the plan on, until 16 s; the chunks from the second on wait for it.
    expect(simulateFleet(work, fleet(2))).toMatchObject({ playableSec: 11, searchSec: 16, completedSec: 16 + 20 + 2 })
    expect(simulateFleet({ ...work, soundSec: [5] }, fleet(2)).searchSec).toBe(16)
    // It does so before a chunk that does not wait.
    expect(simulateFleet({ ...WORK, search: { sec: 15, from: 2 } }, fleet(2)).searchSec).toBe(16)
    expect(simulateFleet(work, fleet(100)).completedSec).toBe(16 + 10 + 2)
  })

  it('adds the time of a lease to each task', () => {
    expect(simulateFleet(WORK, fleet(1, { leaseSec: 0.5 })).completedSec).toBeCloseTo(43 + 5 * 0.5)
  })

  it('is never faster than the work divided by the workers, nor than the longest path', () => {
    for (let workers = 1; workers <= 12; workers++) {
      const work = { ...WORK, chunkSec: [2, 4, 8, 12, 12, 12, 12, 5], soundSec: [9, 3] }
      const { completedSec } = simulateFleet(work, fleet(workers))
      const total = work.chunkSec.reduce((sum, one) => sum + one, 0) + 12
      expect(completedSec).toBeGreaterThanOrEqual(1 + 2 + Math.max(12, total / workers) - 1e-6)
      if (workers === 1) expect(completedSec).toBeCloseTo(3 + total)
    }
  })
})

it('boundOf names what further workers do not shorten', () => {
  expect(boundOf(WORK, fleet(1))).toBe('chunks')
  expect(boundOf({ ...WORK, soundSec: [60] }, fleet(10))).toBe('sound')
  expect(boundOf({ ...WORK, finishSec: 60 }, fleet(10))).toBe('last step')
  expect(boundOf({ ...WORK, search: { sec: 60, from: 1 } }, fleet(10))).toBe('search for rate factors')
  expect(boundOf({ ...WORK, sourceBytes: 100_000 }, fleet(10))).toBe('copies of the source')
})

import { expect, it } from 'vitest'
import { RETENTION_PARTS as ACCEPTED } from '#server/modules/analytics/viewing/viewing-schema'
import { playedParts, RETENTION_PARTS } from './retention-parts.ts'

const played = (...ranges: [from: number, to: number][]) => ({
  length: ranges.length,
  start: (at: number) => ranges[at]?.[0] as number,
  end: (at: number) => ranges[at]?.[1] as number,
})
const of = (duration: number, ...ranges: [number, number][]) => [...playedParts(played(...ranges), duration)]

it('has as many parts as a report may name', () => expect(RETENTION_PARTS).toBe(ACCEPTED))

it('returns every stretch between two calls, however far apart', () => {
  expect(of(20, [0, 0.2])).toEqual([0])
  expect(of(20, [0, 3.4])).toEqual([0, 1, 2, 3])
  expect(of(100, [12, 31])).toEqual([2, 3, 4, 5, 6])
})

it('leaves out what a seek skipped', () => expect(of(20, [0, 1.5], [8.2, 9.1])).toEqual([0, 1, 8, 9]))

it('ends with the video, though playback may be slightly past the end', () => {
  expect(of(20, [18.5, 20])).toEqual([18, 19])
  expect(of(20, [20.01, 20.04])).toEqual([19])
})

it('returns none while nothing was played or the duration is unknown', () => {
  expect(of(20)).toEqual([])
  expect(of(Number.NaN, [0, 3])).toEqual([])
})

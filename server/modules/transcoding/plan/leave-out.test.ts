import { expect, it } from 'vitest'
import { leaveOutUseless } from './plan-video.ts'

/** Chooses among renditions of a video of a second with these bytes. */
const chosen = (...sizes: number[]) => {
  const { kept, leftOut } = leaveOutUseless(sizes.map((bytes) => ({ bytes, averageBandwidth: 8 * bytes })))
  return { kept: kept.map(({ bytes }) => bytes), leftOut: leftOut.map(({ rendition, above }) => [rendition.bytes, above.bytes]) }
}

it('keeps renditions that save a tenth or more of the next higher one', () => {
  expect(chosen(100_000, 90_000, 50_000, 30_000)).toEqual({ kept: [100_000, 90_000, 50_000, 30_000], leftOut: [] })
})

it('leaves out one that saves less, and compares the next with the one that is kept', () => {
  const leftOut = [
    [95_000, 100_000],
    [78_000, 86_000],
  ]
  expect(chosen(100_000, 95_000, 86_000, 78_000)).toEqual({ kept: [100_000, 86_000], leftOut })
})

it('keeps the highest, also where a lower one is larger', () => {
  expect(chosen(40_000, 50_000)).toEqual({ kept: [40_000], leftOut: [[50_000, 40_000]] })
  expect(chosen()).toEqual({ kept: [], leftOut: [] })
})

it('keeps what needs hardly any bytes', () => {
  expect(chosen(26_000, 25_000, 24_500)).toEqual({ kept: [26_000, 25_000, 24_500], leftOut: [] })
})

import { expect, it } from 'vitest'
import { leaveOutUseless } from './leave-out.ts'

const bytesOf = (...bytes: number[]) => {
  const { kept, leftOut } = leaveOutUseless(bytes.map((bytes) => ({ bytes })))
  return { kept: kept.map(({ bytes }) => bytes), leftOut: leftOut.map(({ rendition, above }) => [rendition.bytes, above.bytes]) }
}

it('keeps renditions that save a tenth or more of the next higher one', () => {
  expect(bytesOf(1_000, 900, 500, 100)).toEqual({ kept: [1_000, 900, 500, 100], leftOut: [] })
})

it('leaves out one that saves less, and compares the next with the one that is kept', () => {
  expect(bytesOf(1_000, 950, 860, 780)).toEqual({
    kept: [1_000, 860],
    leftOut: [
      [950, 1_000],
      [780, 860],
    ],
  })
})

it('keeps the highest, also where each lower one is larger', () => {
  expect(bytesOf(100, 110, 120)).toEqual({
    kept: [100],
    leftOut: [
      [110, 100],
      [120, 100],
    ],
  })
  expect(bytesOf()).toEqual({ kept: [], leftOut: [] })
})

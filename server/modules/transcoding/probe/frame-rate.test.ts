import { expect, it } from 'vitest'
import { type FrameRate, readFrameRate } from './frame-rate.ts'

it.each<[average: string | undefined, base: string | undefined, expected: string]>([
  ['30/1', '30/1', '30'],
  ['30000/1001', '30000/1001', '30000/1001'],
  ['24000/1001', '24000/1001', '24000/1001'],
  ['25/1', '50/1', '25'],
  ['120/1', '120/1', '60'],
  ['240000/1001', '240000/1001', '60000/1001'],
  ['100/1', '100/1', '50'],
  // A variable rate of a phone around 30.
  ['14385/482', '90000/1', '30000/1001'],
  // A track at 30 with an inexact average.
  ['5400000/180209', '30/1', '30'],
  ['30000/1001', '30000/1001', '30000/1001'],
  // A slide show, a time lapse, a screen recording without a usable rate.
  ['15/1', '15/1', '15'],
  ['12500/1000', '25/2', '13'],
  ['0/0', '1000/1', '30'],
  ['0/0', '0/0', '30'],
  // Low rates, raised to 5 or more; each frame keeps its duration.
  ['1/10', '1/10', '5'],
  ['1/1', '1/1', '5'],
  ['2/1', '2/1', '6'],
  ['3/1', '3/1', '6'],
  ['4/1', '4/1', '8'],
  ['7/2', '7/2', '8'],
  ['5/1', '5/1', '5'],
  [undefined, undefined, '30'],
])('readFrameRate of %s (%s) returns %s', (average, base, expected) => expectRate(readFrameRate(average, base), expected))

it.each([
  ['25/1', '25/1', '50'],
  ['25/1', '50/1', '50'],
  ['30000/1001', '30000/1001', '60000/1001'],
  // A rate that already counts fields.
  ['50/1', '50/1', '50'],
])('readFrameRate of interlaced %s (%s) returns %s', (average, base, expected) =>
  expectRate(readFrameRate(average, base, { interlaced: true }), expected),
)

it.each([
  ['1000/23', '30/1', '30'],
  ['25/1', '90000/1', '25'],
  ['24/1', '600/1', '24'],
])('readFrameRate of fragmented %s (%s) returns %s', (average, base, expected) =>
  expectRate(readFrameRate(average, base, { fragmented: true }), expected),
)

it.each<[average: string, base: string, frameSec: number | undefined, expected: string]>([
  // A recording of a screen, with pauses.
  ['3300/581', '25/1', 0.04, '25'],
  ['3/1', '1000/1', 0.0333, '30'],
  ['14/1', '90000/1', 1 / 60, '60'],
  ['2/1', '10/1', 0.1, '10'],
  // Without a usual distance the average counts.
  ['3300/581', '25/1', undefined, '6'],
  // A track that states a wrong rate, and a recording with more frames at times.
  ['600/1', '600/1', 0.04, '25'],
  ['500/1', '25/1', 0.03337, '30000/1001'],
  ['36/1', '60/1', 1 / 30, '36'],
  ['0/0', '1000/1', 0.04, '25'],
])('readFrameRate of %s (%s) with frames every %s s returns %s', (average, base, frameSec, expected) =>
  expectRate(readFrameRate(average, base, { frameSec }), expected),
)

function expectRate({ text, value }: FrameRate, expected: string): void {
  expect(text).toBe(expected)
  const [above = 0, below = 1] = text.split('/').map(Number)
  expect(value).toBeCloseTo(above / below, 6)
}

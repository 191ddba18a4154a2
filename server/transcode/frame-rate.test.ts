import { expect, it } from 'vitest'
import { readFrameRate } from './frame-rate.ts'

it.each<[average: string | undefined, base: string | undefined, expected: string]>([
  ['30/1', '30/1', '30'],
  ['30000/1001', '30000/1001', '30000/1001'],
  ['24000/1001', '24000/1001', '24000/1001'],
  ['25/1', '50/1', '25'],
  ['120/1', '120/1', '60'],
  ['240000/1001', '240000/1001', '60000/1001'],
  ['100/1', '100/1', '50'],
  // A phone that wandered about 30.
  ['14385/482', '90000/1', '30000/1001'],
  // A slide show, a time lapse, a screen recording that says nothing usable.
  ['15/1', '15/1', '15'],
  ['12500/1000', '25/2', '13'],
  ['0/0', '1000/1', '30'],
  ['0/0', '0/0', '30'],
  ['1/10', '1/10', '30'],
  [undefined, undefined, '30'],
])('%s (%s) becomes %s', (average, base, expected) => {
  const { text, value } = readFrameRate(average, base)
  expect(text).toBe(expected)
  const [above = 0, below = 1] = text.split('/').map(Number)
  expect(value).toBeCloseTo(above / below, 6)
})

import { expect, test } from 'vitest'
import { compare, mostOf, partsOf, scaleOf, spanOf, ticksOf } from './chart-data.ts'

const days = (count: number) => Array.from({ length: count }, (_, at) => new Date(Date.UTC(2026, 9, 1 + at)).toISOString().slice(0, 10))

test.each([
  [0, 3, true, [0, 1]],
  [1, 4, true, [0, 1]],
  [7, 3, true, [0, 5, 10]],
  [16_191, 4, true, [0, 5_000, 10_000, 15_000, 20_000]],
  [0.034, 3, false, [0, 0.02, 0.04]],
  [1, 3, false, [0, 0.5, 1]],
])('a scale for up to %d in %d steps begins at zero and ends above', (most, lines, whole, scale) => {
  expect(scaleOf(most, lines, whole)).toEqual(scale)
})

test('bars are as high as their stack, and lines as their highest value', () => {
  const series = [
    { name: 'a', label: 'A', color: '', values: [3, null, 1] },
    { name: 'b', label: 'B', color: '', values: [4, null, 2] },
  ]
  expect(mostOf({ kind: 'bars', at: days(3), series })).toBe(7)
  expect(mostOf({ kind: 'lines', at: days(3), series })).toBe(4)
  expect(mostOf({ kind: 'lines', at: days(3), series, previous: { label: '', values: [9] } })).toBe(9)
})

test('a line has a gap where there is no data', () => {
  expect(partsOf([null, 1, 2, null, 3])).toEqual([[1, 2], [4]])
})

test('labels of days are counted back from the last day, those of hours are at full hours and midnight', () => {
  expect(
    ticksOf(days(30), 24)
      .map(({ label }) => label)
      .slice(-3),
  ).toEqual(['Oct 24', 'Oct 27', 'Oct 30'])
  const hours = Array.from({ length: 26 }, (_, at) => `${new Date(Date.UTC(2026, 9, 1, at)).toISOString().slice(0, 13)}:00Z`)
  expect(ticksOf(hours, 20).map(({ label }) => label)).toEqual([
    'Oct 1',
    '03:00',
    '06:00',
    '09:00',
    '12:00',
    '15:00',
    '18:00',
    '21:00',
    'Oct 2',
  ])
  expect(ticksOf(days(200), 3).map(({ label }) => label)).toEqual(['Oct', 'Nov', 'Dec', '2027', 'Feb', 'Mar', 'Apr'])
})

test('a range of periods covers the whole of the last one', () => {
  expect(spanOf('2026-11-20', '2026-11-21')).toEqual({ from: '2026-11-20T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z' })
  expect(spanOf('2026-11-20T14:00Z', '2026-11-20T14:00Z').to).toBe('2026-11-20T15:00:00.000Z')
})

test('a comparison leaves out the day that still runs, on both sides', () => {
  expect(compare([10, 10, 1], [5, 5, 90], true)).toEqual({ now: 20, before: 10 })
  expect(compare([10, 10, 1], [5, 5, 90], false)).toEqual({ now: 21, before: 100 })
})

import { expect, test } from 'vitest'
import { DAY_RANGES } from '#server/platform/text/day-ranges'
import { endsOf, fieldText, instantOf, lastDayOf, problemOf, RANGE_LABELS, rangeText, readField, wallOf } from './range-text.ts'

test('each named range has a label', () => {
  expect(Object.keys(RANGE_LABELS)).toEqual(expect.arrayContaining([...DAY_RANGES]))
})

test('a range is named by its preset, its days, or its times', () => {
  const named = [
    { range: '7d' },
    { from: '2026-11-01', to: '2026-11-10' },
    { from: '2025-12-30', to: '2026-01-02' },
    { from: '2026-11-21', to: '2026-11-21' },
    { from: '2026-11-21' },
    { to: '2026-11-21' },
    { from: '2026-11-21T14:00:00.000Z', to: '2026-11-21T15:00:00.000Z' },
    { from: '2026-11-21T23:00:00.000Z', to: '2026-11-22T00:00:00.000Z' },
    {},
  ].map((value) => rangeText(value, 'Any time'))
  expect(named).toEqual([
    'Last 7 days',
    'Nov 1 – Nov 10, 2026',
    'Dec 30, 2025 – Jan 2, 2026',
    'Nov 21, 2026',
    'Since Nov 21, 2026',
    'Until Nov 21, 2026',
    'Nov 21, 14:00 – 15:00',
    'Nov 21, 23:00 – Nov 22, 00:00',
    'Any time',
  ])
})

test('a field reads what it shows, and refuses days that do not exist', () => {
  expect(readField('2026-11-21', false)).toBe('2026-11-21')
  expect(readField(fieldText('2026-11-21T14:05:00.000Z'), true)).toBe('2026-11-21T14:05:00.000Z')
  expect(readField('2026-11-21', true)).toBe('2026-11-21T00:00:00.000Z')
  expect(readField(' ', false)).toBeUndefined()
  for (const text of ['2026-02-30', '21.11.2026', '2026-13-01', 'now', '2026-11-21 14:00']) expect(readField(text, false)).toBeNull()
  expect(readField('2026-11-21 24:61', true)).toBeNull()
})

test('whole days end at the next midnight where the time of day matters', () => {
  expect(endsOf('2026-11-21', '2026-11-30', true)).toEqual({ from: '2026-11-21 00:00', to: '2026-12-01 00:00' })
  expect(lastDayOf('2026-12-01 00:00', true)).toBe('2026-11-30')
  expect(lastDayOf('2026-12-01 00:01', true)).toBe('2026-12-01')
  expect(lastDayOf('2026-12-01', false)).toBe('2026-12-01')
})

test('a range that a page cannot show is refused at its field', () => {
  const days = { timed: false, open: false, maxDays: 366 }
  expect(problemOf({ from: '2026-01-01', to: '2026-12-31' }, days)).toEqual({})
  expect(problemOf({ from: '2025-01-01', to: '2026-12-31' }, days)).toEqual({ from: 'Choose at most 366 days.' })
  expect(problemOf({ from: '2026-01-02', to: '2026-01-01' }, days)).toHaveProperty('to')
  expect(problemOf({ from: '2026-01-02', to: undefined }, days)).toHaveProperty('to')
  expect(problemOf({ from: '2026-01-02', to: undefined }, { ...days, open: true })).toEqual({})
  expect(problemOf({ from: null, to: null }, days)).toEqual({ from: 'Use YYYY-MM-DD.', to: 'Use YYYY-MM-DD.' })
  const instant = '2026-01-02T00:00:00.000Z'
  expect(problemOf({ from: instant, to: instant }, { timed: true, open: true })).toHaveProperty('to')
})

test('an instant is shown by the clock of a time zone, and read by the clock of the reader', () => {
  const at = '2026-11-21T23:30:00.000Z'
  expect([wallOf(at, 'UTC'), wallOf(at, 'Asia/Kolkata'), wallOf('2026-11-21', 'Asia/Kolkata')]).toEqual([
    at,
    '2026-11-22T05:00:00.000Z',
    '2026-11-21',
  ])
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone
  for (const zone of ['UTC', here]) expect(instantOf(wallOf(at, zone), zone)).toBe(at)
})

import { expect, test } from 'vitest'
import { DAY_RANGES, daysAsked, daysNamed } from './day-ranges.ts'

test('a named range moves with the present day, both ends included', () => {
  const on = (today: string) => Object.fromEntries(DAY_RANGES.map((name) => [name, Object.values(daysNamed(name, today)).join(' ')]))
  expect(on('2026-03-31')).toEqual({
    today: '2026-03-31 2026-03-31',
    yesterday: '2026-03-30 2026-03-30',
    '3d': '2026-03-29 2026-03-31',
    '7d': '2026-03-25 2026-03-31',
    '30d': '2026-03-02 2026-03-31',
    '90d': '2026-01-01 2026-03-31',
    '12m': '2025-04-01 2026-03-31',
    month: '2026-03-01 2026-03-31',
    'last-month': '2026-02-01 2026-02-28',
  })
  expect(on('2027-01-01')).toMatchObject({
    yesterday: '2026-12-31 2026-12-31',
    month: '2027-01-01 2027-01-01',
    'last-month': '2026-12-01 2026-12-31',
  })
})

test('a name comes before days, and a missing end is open', () => {
  expect(daysAsked({ range: 'today', from: '2020-01-01' }, '2026-03-31')).toEqual({ from: '2026-03-31', to: '2026-03-31' })
  expect(daysAsked({ from: '2020-01-01' }, '2026-03-31')).toEqual({ from: '2020-01-01' })
  expect(daysAsked({}, '2026-03-31')).toEqual({})
})

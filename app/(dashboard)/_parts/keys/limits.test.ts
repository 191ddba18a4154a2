import { describe, expect, test } from 'vitest'
import { expiryOf, expiryProblem, limitValues, rangesProblem } from './limits'

const day = (value: string) => ({ expiry: 'day', day: value, allowedIps: [] })

describe('the expiry of a key', () => {
  test('is never, or the end of a UTC day', () => {
    expect(expiryOf({ expiry: 'never', day: '2030-01-01', allowedIps: [] })).toBeNull()
    expect(expiryOf(day('2030-02-28'))).toEqual(new Date('2030-02-28T23:59:59.999Z'))
  })

  test('is a number of days from now', () => {
    const end = expiryOf({ expiry: '30', day: '', allowedIps: [] }) as Date
    expect(Math.round((end.getTime() - Date.now()) / 86_400_000)).toBe(30)
  })

  test('keeps its exact time when its day was not changed', () => {
    const held = new Date('2030-02-28T10:11:12.345Z')
    expect(expiryOf(limitValues({ expiresAt: held, allowedIps: [] }), held)).toBe(held)
    expect(expiryOf(day('2030-03-01'), held)).toEqual(new Date('2030-03-01T23:59:59.999Z'))
  })

  test.each([
    ['', 'Choose a date.'],
    ['2030-13-01', 'Choose a date.'],
    ['2020-01-01', 'This date is in the past. Choose a later date.'],
    ['2099-01-01', null],
  ])('the day “%s”: %s', (value, problem) => {
    expect(expiryProblem(day(value))).toBe(problem)
  })
})

test('names the first invalid address; at most fifty are allowed', () => {
  expect(rangesProblem(['10.0.0.1', '::1', '2001:db8::/32'])).toBeNull()
  expect(rangesProblem(['10.0.0.1', 'here', 'there'])).toContain('“here”')
  expect(rangesProblem(Array.from({ length: 51 }, (_, at) => `10.0.0.${at}`))).toContain('at most 50')
})

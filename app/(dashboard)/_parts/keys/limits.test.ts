import { describe, expect, test } from 'vitest'
import { expiryOf, limitErrors, limitValues, NO_LIMITS } from './limits'

const day = (value: string) => ({ expiry: 'day', day: value })

describe('the expiry of a key', () => {
  test('is never, or the end of a UTC day', () => {
    expect(expiryOf({ expiry: 'never', day: '2030-01-01' })).toBeNull()
    expect(expiryOf(day('2030-02-28'))).toEqual(new Date('2030-02-28T23:59:59.999Z'))
  })

  test('is a number of days from now', () => {
    const end = expiryOf({ expiry: '30', day: '' }) as Date
    expect(Math.round((end.getTime() - Date.now()) / 86_400_000)).toBe(30)
  })

  test('keeps its exact time when its day was not changed', () => {
    const held = new Date('2030-02-28T10:11:12.345Z')
    expect(expiryOf(limitValues({ expiresAt: held, allowedIps: [] }).expiresAt, held)).toBe(held)
    expect(expiryOf(day('2030-03-01'), held)).toEqual(new Date('2030-03-01T23:59:59.999Z'))
  })

  test.each([
    ['', 'Choose a date.'],
    ['2030-13-01', 'Choose a date.'],
    ['2020-01-01', 'This date is in the past. Choose a later date.'],
    ['2100-01-02', 'Choose a date before 2100.'],
    ['2099-01-01', undefined],
  ])('the day “%s”: %s', (value, problem) => {
    expect(limitErrors({ expiresAt: day(value), allowedIps: [] }).expiresAt).toBe(problem)
  })

  test('may stay in the past when it is not changed', () => {
    const held = new Date('2020-02-28T10:11:12.345Z')
    expect(limitErrors(limitValues({ expiresAt: held, allowedIps: [] }), held)).toEqual({})
    expect(limitErrors({ expiresAt: day('2020-02-27'), allowedIps: [] }, held)).toHaveProperty('expiresAt')
  })
})

test('names the first invalid address; at most fifty are allowed', () => {
  const problem = (allowedIps: string[]) => limitErrors({ ...NO_LIMITS, allowedIps }).allowedIps
  expect(problem(['10.0.0.1', '::1', '2001:db8::/32'])).toBeUndefined()
  expect(problem(['10.0.0.1', 'here', 'there'])).toContain('“here”')
  expect(problem(Array.from({ length: 51 }, (_, at) => `10.0.0.${at}`))).toContain('at most 50')
})

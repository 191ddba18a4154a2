import { describe, expect, it } from 'vitest'
import { andThen, recover, withBoth } from './maybe-promise.ts'

const later = <Value>(value: Value) => Promise.resolve(value)
const failing = () => {
  throw new Error('failed')
}

describe('andThen', () => {
  it('returns a value for a value, and a promise for a promise', async () => {
    expect(andThen(1, (value) => value + 1)).toBe(2)
    const result = andThen(later(1), (value) => value + 1)
    expect(result).toBeInstanceOf(Promise)
    expect(await result).toBe(2)
    expect(await andThen(1, (value) => later(value + 1))).toBe(2)
  })
})

describe('withBoth', () => {
  it('returns a value only if both are values', async () => {
    const sum = (first: number, second: number) => first + second
    expect(withBoth(1, 2, sum)).toBe(3)
    for (const result of [withBoth(later(1), 2, sum), withBoth(1, later(2), sum), withBoth(later(1), later(2), sum)]) {
      expect(result).toBeInstanceOf(Promise)
      expect(await result).toBe(3)
    }
  })
})

describe('recover', () => {
  const handle = (thrown: unknown) => (thrown as Error).message

  it('handles what is thrown and what is rejected', async () => {
    expect(recover(failing, handle)).toBe('failed')
    expect(await recover(() => Promise.reject(new Error('rejected')), handle)).toBe('rejected')
  })

  it('returns the result of an attempt that succeeds', async () => {
    expect(recover(() => 'value', handle)).toBe('value')
    expect(await recover(() => later('value'), handle)).toBe('value')
  })
})

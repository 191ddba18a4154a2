import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isKeyValue, newKeyValue } from './format.ts'

test('newKeyValue returns 40 characters with prefix and checksum', () => {
  for (const [environment, start] of [
    ['LIVE', 'ak_live_'],
    ['TEST', 'ak_test_'],
  ] as const) {
    const value = newKeyValue(environment)
    expect(value).toHaveLength(40)
    expect(value.startsWith(start)).toBe(true)
    expect(isKeyValue(value)).toBe(true)
  }
})

test('isKeyValue rejects any changed character without a look-up', () => {
  const value = newKeyValue('LIVE')
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 39 }),
      fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-'),
      (at, character) => {
        const changed = value.slice(0, at) + character + value.slice(at + 1)
        expect(isKeyValue(changed)).toBe(changed === value)
      },
    ),
    { numRuns: 500 },
  )
})

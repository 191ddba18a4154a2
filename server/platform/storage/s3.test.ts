import { expect, it } from 'vitest'
import { partBytes } from './s3.ts'

const MIB = 1024 ** 2
it.each([
  [1, 10_000, 16 * MIB],
  [100e9, 10_000, 16 * MIB],
  [1e12, 10_000, Math.ceil(1e12 / 9_000)],
  [100e9, 1_000, Math.ceil(100e9 / 900)],
])('stores %i bytes, where the store accepts %i parts, in parts of %i', (size, partLimit, expected) => {
  expect(partBytes(size, { partLimit })).toBe(expected)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exhaustedAt } from './pace.ts'

const DAY_MS = 86_400_000
const midnight = Date.parse('2026-11-21T00:00:00Z')
const at = (time: string) => new Date(`2026-11-21T${time}Z`)

test('the pace since midnight UTC says when a quota is used up', () => {
  expect(exhaustedAt({ used: 500, limit: 1_000, now: at('06:00:00') })).toEqual(at('12:00:00'))
  expect(exhaustedAt({ used: 333, limit: 1_000, now: at('04:00:00') })).toEqual(at('12:00:43.244'))
  expect(exhaustedAt({ used: 999, limit: 1_000, now: at('23:00:00') })).toEqual(at('23:01:22.883'))
})

test('a quota that lasts the day, is used up, or has hardly been used has no such time', () => {
  // Exactly the whole day, and a millisecond less.
  expect(exhaustedAt({ used: 500, limit: 1_000, now: at('12:00:00') })).toBeNull()
  expect(exhaustedAt({ used: 500, limit: 1_000, now: at('11:59:59.999') })).toEqual(at('23:59:59.998'))
  for (const used of [1_000, 1_001, 0]) expect(exhaustedAt({ used, limit: 1_000, now: at('06:00:00') })).toBeNull()
  expect(exhaustedAt({ used: 99, limit: 1_000, now: at('00:01:00') })).toBeNull()
  expect(exhaustedAt({ used: 100, limit: 1_000, now: at('00:01:00') })).toEqual(at('00:10:00'))
  expect(exhaustedAt({ used: 0, limit: 0, now: at('06:00:00') })).toBeNull()
})

test('the time is the first millisecond at which the pace reaches the quota, for any numbers', () => {
  const counts = fc.integer({ min: 1, max: 2 ** 31 - 1 })
  fc.assert(
    fc.property(counts, counts, fc.integer({ min: 0, max: DAY_MS - 1 }), (used, limit, elapsed) => {
      const found = exhaustedAt({ used, limit, now: new Date(midnight + elapsed) })
      const issuedBy = (ms: number) => BigInt(used) * BigInt(ms)
      const wanted = BigInt(limit) * BigInt(elapsed)
      if (found) {
        const ms = found.getTime() - midnight
        expect(issuedBy(ms) >= wanted && (ms === 0 || issuedBy(ms - 1) < wanted)).toBe(true)
        expect(ms >= elapsed && ms < DAY_MS).toBe(true)
      } else expect(used >= limit || 10n * BigInt(used) < BigInt(limit) || issuedBy(DAY_MS - 1) < wanted).toBe(true)
    }),
  )
})

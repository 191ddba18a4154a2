import { expect, it } from 'vitest'
import { reached } from '../report.ts'
import type { Kind, Samples } from './kinds.ts'
import { judge, noSamples } from './verdict.ts'

const MB = 1024 ** 2

/** Every kind takes `ms`, but for some. */
function samples(ms: number, others: Partial<Record<Kind, number[]>> = {}, failed: Partial<Record<Kind, string[]>> = {}): Samples {
  const all = noSamples()
  for (const [kind, heard] of Object.entries(all)) {
    heard.took.push(...(others[kind as Kind] ?? Array(100).fill(ms)))
    heard.failed.push(...(failed[kind as Kind] ?? []))
  }
  return all
}

/** Returns the work of the rows that break the rule, and of all. */
function judged(during: Samples, { quiet = samples(10), memory = { quiet: 500 * MB, during: 700 * MB }, longTurns = 0 } = {}) {
  const rows = judge({ attack: 'an attack', quiet, during, memory, longTurns })
  return { broken: rows.filter((row) => !reached(row)).map(({ work }) => work), all: rows.map(({ work }) => work) }
}

it('shows the kind that suffered most, while nothing breaks the rule', () => {
  const { broken, all } = judged(samples(10, { playlist: Array(100).fill(59), segment: Array(100).fill(20) }))
  expect({ broken, all }).toEqual({ broken: [], all: ['playlist in an attack'] })
})

it('95 of 100 requests take three times as long, or 60 ms', () => {
  const slow = (count: number, ms: number) => [...Array(100 - count).fill(10), ...Array(count).fill(ms)]
  expect(judged(samples(10, { playlist: slow(5, 500) })).broken).toEqual([])
  expect(judged(samples(10, { playlist: slow(6, 61) })).broken).toEqual(['playlist in an attack'])
  expect(judged(samples(40, { playlist: slow(6, 119) }), { quiet: samples(40) }).broken).toEqual([])
  expect(judged(samples(40, { playlist: slow(6, 121) }), { quiet: samples(40) }).broken).toEqual(['playlist in an attack'])
})

it('every revoked key is refused within two seconds', () => {
  expect(judged(samples(10, { revocation: [1, 1, 1, 1_999] })).broken).toEqual([])
  expect(judged(samples(10, { revocation: [...Array(99).fill(1), 2_001] })).broken).toEqual(['revocation in an attack'])
})

it('no request fails, memory grows by less than half, and no turn of the event loop is long', () => {
  const failing = samples(10, { playlist: [] }, { playlist: ['503 busy', '503 busy'] })
  expect(judged(failing).broken).toEqual(['failed: playlist in an attack: 503 busy'])
  expect(judged(samples(10), { memory: { quiet: 500 * MB, during: 751 * MB } }).broken).toEqual(['memory in an attack'])
  expect(judged(samples(10), { longTurns: 1 }).broken).toEqual(['turns of the event loop above 50 ms in an attack'])
})

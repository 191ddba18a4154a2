import { expect, test } from 'vitest'
import { rangeFrom } from './schema.ts'

test('the range of an address is read, and replaced where it is missing or not valid', () => {
  const read = (asked: Record<string, string | string[] | undefined>) => rangeFrom(asked, '30d')
  expect(read({})).toEqual({ range: '30d' })
  expect(read({ range: '7d', split: 'key' })).toEqual({ range: '7d' })
  expect(read({ from: '2026-11-01', to: '2026-11-05' })).toEqual({ from: '2026-11-01', to: '2026-11-05' })
  for (const asked of [
    { range: 'ever' },
    { range: ['7d', '30d'] },
    { from: '2026-11-22', to: '2026-11-21' },
    { from: '2020-01-01', to: '2026-11-21' },
    { from: '2026-11-19' },
    { to: '2026-11-21' },
  ])
    expect(read(asked)).toEqual({ range: '30d' })
})

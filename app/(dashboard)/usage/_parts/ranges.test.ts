import { expect, test } from 'vitest'
import { usageInput } from '../../../../server/modules/analytics/schema.ts'
import { usageFrom } from './ranges.ts'

const TODAY = '2026-11-22'
const DEFAULT = { from: '2026-10-24', to: TODAY }

test.each([
  ['nothing', {}, DEFAULT],
  ['a split alone', { split: 'key' }, { ...DEFAULT, split: 'key' }],
  ['a split that there is not', { split: 'moon' }, DEFAULT],
  ['days', { from: '2026-11-01', to: '2026-11-02' }, { from: '2026-11-01', to: '2026-11-02' }],
  ['a first day alone', { from: '2026-11-01', split: 'status' }, { from: '2026-11-01', to: TODAY, split: 'status' }],
  ['days that cannot be, and a split', { from: 'soon', to: '2026-11-02', split: 'endpoint' }, { ...DEFAULT, split: 'endpoint' }],
  ['a last day before the first', { from: '2026-11-09', to: '2026-11-02' }, { from: '2026-11-09', to: TODAY }],
  ['a split twice', { split: ['key', 'status'] }, DEFAULT],
])('an address with %s', (_name, asked, shown) => {
  expect(usageFrom(asked as Record<string, string>, TODAY, usageInput)).toEqual(shown)
})

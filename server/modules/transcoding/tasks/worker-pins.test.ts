import { expect, it } from 'vitest'
import { provide } from '../../../testing/settings.ts'
import { workerPins } from './worker-pins.ts'

it.each([
  ['', { tiers: ['PAID', 'FREE'] }],
  ['free,paid', { tiers: ['PAID', 'FREE'] }],
  ['paid', { tiers: ['PAID'] }],
  ['free', { tiers: ['FREE'] }],
  ['acc_1,acc_2', { tiers: ['PAID', 'FREE'], accounts: ['acc_1', 'acc_2'] }],
])('WORKER_ACCOUNTS=%s', (WORKER_ACCOUNTS, pins) => {
  provide({ BASE_URL: 'http://localhost', WORKER_ACCOUNTS })
  expect(workerPins()).toEqual(pins)
})

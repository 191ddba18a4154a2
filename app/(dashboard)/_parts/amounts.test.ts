import { expect, test } from 'vitest'
import { formatMoney } from './amounts.ts'

test.each([
  [12_345, 'usd', '$123.45'],
  [100, 'eur', '€1.00'],
  // Without a smaller unit.
  [150, 'jpy', '¥150'],
  [5_000, 'krw', '₩5,000'],
  [10_500, 'bhd', 'BHD\u00a010.500'],
  // In hundredths at the payment provider, though prices are whole.
  [50_000, 'huf', 'HUF\u00a0500'],
  [1_500_000, 'idr', 'IDR\u00a015,000'],
  [10_050, 'isk', 'ISK\u00a0100.5'],
])('%i in the smallest unit of %s is %s', (amount, currency, text) => {
  expect(formatMoney(amount, currency)).toBe(text)
})

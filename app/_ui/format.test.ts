import { expect, it } from 'vitest'
import { formatBytes, formatDollars, formatExactDollars } from './format'

it('amounts below a cent are not written with more digits than anyone reads', () => {
  expect([0, 0.00000082, 0.0099, 0.01, 12.4, -0.12, -0.004].map(formatDollars)).toEqual([
    ...['$0.00', 'under $0.01', 'under $0.01', '$0.01', '$12.40', '−$0.12', 'over −$0.01'],
  ])
  expect([0, 0.00000082, 0.005, 0.01, -0.004, -0.12].map(formatExactDollars)).toEqual([
    ...['$0.00', '$0.00000082', '$0.005', '$0.01', '−$0.004', '−$0.12'],
  ])
})

it('sizes keep their sign', () => expect([0, 999, 12_400_000, -1_000].map(formatBytes)).toEqual(['0 B', '999 B', '12.4 MB', '−1.0 kB']))

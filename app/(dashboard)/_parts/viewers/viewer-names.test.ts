import { expect, test } from 'vitest'
import { viewerName } from './viewer-names'

test.each([
  ['country', 'DE', 'Germany'],
  ['country', '(unknown)', 'Unknown country'],
  ['country', '(other)', 'Other countries'],
  ['referrer', '(direct)', 'Opened directly'],
  ['referrer', 'school.example.com', 'school.example.com'],
  ['quality', '720p', '720p'],
  ['os', '(unknown)', 'Unknown'],
] as const)('%s %s is shown as %s', (dimension, value, name) => {
  expect(viewerName(dimension, value)).toBe(name)
})

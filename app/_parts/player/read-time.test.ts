import { expect, it } from 'vitest'
import { readTime } from './read-time.ts'

it.each([
  ['0', 0],
  ['90', 90],
  ['90.5', 90.5],
  ['90s', 90],
  ['1m30s', 90],
  ['2m', 120],
  ['1h2m3s', 3723],
  ['1:30', 90],
  ['1:02:03', 3723],
])('%s is %d seconds', (text, seconds) => expect(readTime(text)).toBe(seconds))

it.each(['', '-5', 'soon', '1:75', '1:', 's', 'm', '1e9', '0x10', ' 5', '9'.repeat(400), '٣', '1:2:3:4'])('“%s” is no time', (text) =>
  expect(readTime(text)).toBeUndefined(),
)

import { expect, it } from 'vitest'
import { asksForThem, givesHugePages } from './allocator.ts'

it.each([
  ['always [madvise] never', true],
  ['[always] madvise never', true],
  ['always madvise [never]', false],
  ['', false],
])('givesHugePages of "%s" is %s', (mode, expected) => expect(givesHugePages(mode)).toBe(expected))

it.each([
  ['2.35', true],
  ['2.36', true],
  ['3.0', true],
  ['2.34', false],
  ['2.4', false],
  [undefined, false],
])('asksForThem of glibc %s is %s', (version, expected) => expect(asksForThem(version)).toBe(expected))

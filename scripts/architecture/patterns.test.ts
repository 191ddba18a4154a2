import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { growsSuperLinearly } from './growth.ts'
import { readSources } from './imports.ts'
import { readPatterns } from './patterns.ts'

const patterns = readPatterns(readSources(join(import.meta.dirname, '../..')))

test('every pattern of the sources is found', () => {
  expect(patterns.length).toBeGreaterThan(100)
  expect(patterns.map(({ place }) => place.split(':')[0])).toContain('server/modules/analytics/requests/redact.ts')
})

test.each(patterns)('$place $expression takes time in proportion to its input', ({ expression }) => {
  expect(growsSuperLinearly(expression)).toBeUndefined()
})

test('the pattern of e-mail addresses takes time in proportion to its input', () => {
  expect(growsSuperLinearly(z.regexes.email)).toBeUndefined()
})

test.each([/\beyJ[\w-]{8,}\.[\w-]*(?:\.[\w-]*)?/g, /[^/]+$/, /^(\w+)+$/, /"(?:\\.|[^"\\])*"[^\n]*\n/g])(
  'detects super-linear time of %s',
  (expression) => {
    expect(growsSuperLinearly(expression)?.exponent).toBeGreaterThan(1.5)
  },
)

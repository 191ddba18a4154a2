import { expect, test } from 'vitest'
import { CHECK_WORDS, OUTCOME_WORDS } from './check-words.ts'

test('a check left open by a failure of the service does not read as a result', () => {
  const lines = Object.values(CHECK_WORDS).map(({ title }) => `${title} ${OUTCOME_WORDS.unknown}`)
  expect(lines).toContain('Key not determined')
  expect(lines.join()).not.toMatch(/not known|unknown|invalid/)
})

import { expect, test } from 'vitest'
import { CHECK_LABELS, OUTCOME_LABELS } from './check-labels.ts'

test('a check left open by a failure of the service does not read as a result', () => {
  const lines = Object.values(CHECK_LABELS).map(({ title }) => `${title} ${OUTCOME_LABELS.unknown}`)
  expect(lines).toContain('Key not determined')
  expect(lines.join()).not.toMatch(/not known|unknown|invalid/)
})

import { expect, it } from 'vitest'
import { creditsText, formatCredits, formatSignedCredits } from './price-schema.ts'

it('formatCredits groups decimals of credits, and formatSignedCredits says in which direction', () => {
  expect(['0', '1999.98', '1234567.000001', '-25'].map(formatCredits)).toEqual(['0', '1,999.98', '1,234,567.000001', '−25'])
  expect(['25', '-1000.5'].map(formatSignedCredits)).toEqual(['+25', '−1,000.5'])
  expect(formatCredits(creditsText(1_999_980_000n))).toBe('1,999.98')
})

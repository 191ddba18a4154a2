import { expect, it } from 'vitest'
import { joinedLines } from './words.ts'

it.each([
  ['words with blanks', ['Good', 'morning'], 'Good morning'],
  ['scripts without blanks', ['今天', '天气'], '今天天气'],
  ['an empty line', ['今', '', '天'], '今天'],
])('joins lines with %s', (_, lines, text) => expect(joinedLines(lines)).toBe(text))

it('joins a hundred thousand lines of a caption in time in proportion to them', { timeout: 20_000 }, () => {
  expect(joinedLines(new Array(100_000).fill('a'))).toHaveLength(199_999)
})

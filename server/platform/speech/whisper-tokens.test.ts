import { expect, it } from 'vitest'
import { wordsOfTokens } from './whisper-tokens.ts'

const tokens = (...texts: string[]) => texts.map((text, at) => ({ text, t0: at * 100, t1: at * 100 + 100 }))
const texts = (list: { text: string }[]) => list.map(({ text }) => text)

it('joins tokens to words, with their punctuation and times', () => {
  const given = tokens(' And', ' so', ',', ' my', ' fellow', ' Americ', 'ans', '.', ' It', "'s", ' 4', '.5')
  expect(wordsOfTokens(given, '')).toEqual([
    { text: 'And', fromSec: 0, toSec: 0.1 },
    { text: 'so,', fromSec: 0.1, toSec: 0.3 },
    { text: 'my', fromSec: 0.3, toSec: 0.4 },
    { text: 'fellow', fromSec: 0.4, toSec: 0.5 },
    { text: 'Americans.', fromSec: 0.5, toSec: 0.8 },
    { text: "It's", fromSec: 0.8, toSec: 1 },
    { text: '4.5', fromSec: 1, toSec: 1.2 },
  ])
})

it('takes a character that consists of several tokens from the text', () => {
  const given = tokens('今天', '\ufffd', '\ufffd', '气', '，', ' \ufffd', '\ufffd', ' ok')
  expect(wordsOfTokens(given, '今天龘气， 😀 ok')).toEqual([
    { text: '今天', fromSec: 0, toSec: 0.1 },
    { text: '龘', fromSec: 0.1, toSec: 0.3 },
    { text: '气，', fromSec: 0.3, toSec: 0.5 },
    { text: '😀', fromSec: 0.5, toSec: 0.7 },
    { text: 'ok', fromSec: 0.7, toSec: 0.8 },
  ])
})

it('omits descriptions of sounds', () => {
  expect(texts(wordsOfTokens(tokens(' [', 'BLANK', '_AUDIO', ']'), ''))).toEqual([])
  expect(texts(wordsOfTokens(tokens(' Hello', ' (', 'up', 'beat', ' music', ')', ' there', ' ♪', ' la', ' la', ' ♪'), ''))).toEqual([
    'Hello',
    'there',
  ])
  expect(texts(wordsOfTokens(tokens(' I', ' (', 'well'), ''))).toEqual(['I', '(well'])
})

it('keeps speech between two melodies, and after a bracket that another one closes much later', () => {
  const speech = Array.from({ length: 400 }, () => ' word')
  for (const [open, close] of [
    [' ♪', ' ♪'],
    [' (the', ' 1)'],
  ] as const)
    expect(texts(wordsOfTokens(tokens(open, ...speech, close), '')).filter((text) => text === 'word')).toHaveLength(400)
})

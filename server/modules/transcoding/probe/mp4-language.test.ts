import { expect, test } from 'vitest'
import { mp4Language } from './mp4-language.ts'

test.each([
  ['en', 'eng'],
  ['de-AT', 'deu'],
  ['zh-Hant-TW', 'zho'],
  ['fr-x-2', 'fra'],
  ['PT', 'por'],
  ['fil', 'fil'],
  ['yue', 'yue'],
  ['und', 'und'],
  ['xx', 'und'],
  ['x-own', 'und'],
  ['', 'und'],
  [null, 'und'],
])('mp4Language of %s is %s', (tag, code) => expect(mp4Language(tag)).toBe(code))

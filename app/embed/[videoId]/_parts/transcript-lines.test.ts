import { describe, expect, it } from 'vitest'
import { findIn, joinLines, lineAt } from './transcript-lines.ts'

const said = (...texts: string[]) => texts.map((text, at) => ({ startSec: 10 * at + 5, text }))
/** Returns what is found, as it is written. */
const found = (texts: string[], asked: string) =>
  findIn(said(...texts), asked).map(({ line, from, to }) => [line, texts[line]?.slice(from, to)])

describe('lineAt', () => {
  const lines = said('One', 'Two', 'Three')
  it.each([
    ['before the first line', 0, -1],
    ['at the beginning of a line', 15, 1],
    ['just before it, where a seek may end', 14.95, 1],
    ['during a line', 12, 0],
    ['after the last line', 3_600, 2],
  ])('%s', (_when, seconds, line) => expect(lineAt(lines, seconds)).toBe(line))

  it('is none without lines', () => expect(lineAt([], 5)).toBe(-1))
  it('is the later of two lines that begin together', () => expect(lineAt([...said('One'), ...said('Two')], 6)).toBe(1))
})

describe('joinLines', () => {
  it.each([
    ['Ask not what\nyour country', 'Ask not what your country'],
    [' - Yes. \n\n - No. ', '- Yes. - No.'],
    ['東京の天気は\n晴れです', '東京の天気は晴れです'],
    ['東京 is\nTokyo', '東京 is Tokyo'],
    ['\n', ''],
  ])('%j is %j', (text, line) => expect(joinLines(text)).toBe(line))
})

describe('findIn', () => {
  it('finds every place, in any letter case', () =>
    expect(found(['A rose is a Rose', 'thorns', 'ROSES'], 'rose')).toEqual([
      [0, 'rose'],
      [0, 'Rose'],
      [2, 'ROSE'],
    ]))
  it.each([
    ['café', 'Le café', 'café'],
    ['cafe', 'Le café', 'café'],
    ['CAFÉ', 'Le cafe\u0301 noir', 'cafe\u0301'],
    ['strasse', 'Die Straße', undefined],
    ['istanbul', 'İstanbul’da', 'İstanbul'],
    ['مدرسه', 'مَدْرَسَه كبيرة', 'مَدْرَسَه'],
    ['か', 'がっこう', undefined],
    ['天気', '東京の天気は', '天気'],
    ['what  your', 'Ask what your country', 'what your'],
    ['.', 'a.b', '.'],
    ['(', 'none', undefined],
  ])('%s in “%s”', (asked, text, place) => expect(found([text], asked)).toEqual(place === undefined ? [] : [[0, place]]))
  it('does not overlap its finds', () => expect(found(['aaaa'], 'aa')).toHaveLength(2))
  it.each(['', '  ', '\u0301'])('finds nothing for %j', (asked) => expect(found(['a b'], asked)).toEqual([]))
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cue, vttOf } from './cue-document.ts'
import { type Change, findAll, insert, merge, type Outcome, remove, replace, setText, setTime, shift, split } from './edits.ts'

const cue = (id: number, startSec: number, endSec: number, text: string): Cue => ({
  ...{ id, startMs: startSec * 1_000, endMs: endSec * 1_000, settings: '', text },
  vtt: vttOf(text),
})
const CUES = [cue(1, 0, 4, 'Ask not what your country\ncan do for you.'), cue(2, 4, 6, 'Ask what you'), cue(3, 10, 12, 'can do.')]
const done = (outcome: Outcome): Change => {
  if ('refused' in outcome) throw new Error(outcome.refused)
  return outcome
}
const shown = (cues: readonly Cue[]) => cues.map(({ startMs, endMs, text }) => `${startMs}-${endMs} ${text}`)

describe('split', () => {
  it('divides the text at the caret and the time by its length', () => {
    const change = done(split(CUES, 2, { caret: 8, playheadMs: 20_000 }))
    expect(shown(change.cues)).toEqual([
      '0-4000 Ask not what your country\ncan do for you.',
      '4000-5333 Ask what',
      '5333-6000 you',
      '10000-12000 can do.',
    ])
    expect(change).toMatchObject({ focus: 4, caret: 0, from: 2 })
  })

  it('divides the time at the playhead within the cue', () => {
    expect(shown(done(split(CUES, 2, { caret: 4, playheadMs: 4_500 })).cues)[1]).toBe('4000-4500 Ask')
    // Just selected, the playhead is at the beginning.
    expect(shown(done(split(CUES, 2, { caret: 4, playheadMs: 4_000 })).cues)[1]).toBe('4000-4667 Ask')
  })

  it('divides the text at the playhead where the caret divides nothing', () => {
    for (const caret of [undefined, 0, 12])
      expect(shown(done(split(CUES, 2, { caret, playheadMs: 5_300 })).cues)[1]).toBe('4000-5300 Ask what')
    expect(split(CUES, 2, { caret: 0, playheadMs: 0 })).toEqual({ refused: 'Place the cursor where the second caption begins.' })
  })

  it.each([
    ['<i>one two</i>', 7, '<i>one</i>', '<i>two</i>'],
    ['<v Ann>one two', 10, '<v Ann>one', '<v Ann>two'],
    ['<b>a</b> <i>one <u>two three</u></i>', 22, '<b>a</b> <i>one <u>two</u></i>', '<i><u>three</u></i>'],
    ['one <i>two</i>', 5, 'one', '<i>two</i>'],
  ])('keeps %j whole', (text, caret, first, second) => {
    const { cues } = done(split([cue(1, 0, 4, text)], 1, { caret, playheadMs: 0 }))
    expect(cues.map((one) => one.text)).toEqual([first, second])
  })
})

it.each([
  ['a tag without end', `one <${'a'.repeat(300_000)} two`],
  ['many tags', `${'<b>'.repeat(60_000)}one two${' '.repeat(300_000)}`],
  ['many words', 'one '.repeat(60_000)],
  ['blanks and tags after its words', `one two${' <i>'.repeat(60_000)}`],
])('splits a text with %s in time that grows with its length', (_what, text) => {
  expect(done(split([cue(1, 0, 4, text)], 1, { caret: undefined, playheadMs: 2_000 })).cues).toHaveLength(2)
})

it('merges a cue with the next, in a line where one is enough', () => {
  const change = done(merge(CUES, 2))
  expect(shown(change.cues)[1]).toBe('4000-12000 Ask what you can do.')
  expect(change).toMatchObject({ focus: 2, caret: 13 })
  expect(shown(done(merge(CUES, 1)).cues)[0]).toBe('0-6000 Ask not what your country\ncan do for you.\nAsk what you')
  expect(merge(CUES, 3)).toHaveProperty('refused')
  expect(shown(done(merge([cue(1, 0, 9, 'long'), cue(2, 1, 2, '')], 1)).cues)).toEqual(['0-9000 long'])
})

it('a cue that was split between words and merged is as it was', () => {
  fc.assert(
    fc.property(fc.constantFrom(undefined, 0, 3, 4, 8, 9, 12), fc.integer({ min: 0, max: 7_000 }), (caret, playheadMs) => {
      const outcome = split(CUES, 2, { caret, playheadMs })
      fc.pre('cues' in outcome)
      expect(done(merge(done(outcome).cues, 2)).cues).toEqual(CUES)
    }),
  )
})

describe('insert', () => {
  it('adds a cue at the playhead, up to the next one', () => {
    expect(shown(done(insert(CUES, undefined, 6_500)).cues)[2]).toBe('6500-8500 ')
    expect(shown(done(insert(CUES, 1, 9_000)).cues)[2]).toBe('9000-10000 ')
    expect(shown(done(insert([], undefined, 0)).cues)).toEqual(['0-2000 '])
  })
  it('adds it after the active cue where the playhead is within one', () => {
    expect(shown(done(insert(CUES, 2, 4_000)).cues)[2]).toBe('6000-8000 ')
    expect(insert(CUES, 1, 0)).toHaveProperty('refused')
  })
})

it('removes a cue, and goes to the next', () => {
  expect(done(remove(CUES, 2))).toMatchObject({ focus: 3, from: 2 })
  expect(done(remove(CUES, 3)).focus).toBe(2)
  expect(done(remove([CUES[0] as Cue], 1))).toMatchObject({ cues: [], focus: undefined })
})

it('sets times, and keeps the order', () => {
  expect(shown(done(setTime(CUES, 3, 'start', 1_000)).cues)[1]).toBe('1000-12000 can do.')
  expect(shown(done(setTime(CUES, 1, 'start', 5_000)).cues)[1]).toBe('5000-9000 Ask not what your country\ncan do for you.')
  expect(setTime(CUES, 3, 'end', 10_000)).toEqual({ refused: 'The end must be after the start, 0:10.000.' })
})

it('shifts all cues or those from one on, and none to before the beginning', () => {
  expect(shown(done(shift(CUES, 1_250)).cues).map((line) => line.split(' ')[0])).toEqual(['1250-5250', '5250-7250', '11250-13250'])
  expect(shown(done(shift(CUES, -4_000, 2)).cues).map((line) => line.split(' ')[0])).toEqual(['0-4000', '0-2000', '6000-8000'])
  expect(shift(CUES, -1)).toHaveProperty('refused')
  // A caption file has three digits for hours; a later cue would be lost.
  expect(shift(CUES, 3_600_000_000)).toEqual({ refused: 'A caption can end at 999:59:59.999 at the latest.' })
  expect(setTime(CUES, 1, 'start', 3_599_999_000)).toHaveProperty('refused')
})

describe('find and replace', () => {
  it('finds in any case, or in one alone', () => {
    expect(findAll(CUES, 'ask', false)).toEqual([
      { id: 1, from: 0, to: 3 },
      { id: 2, from: 0, to: 3 },
    ])
    expect(findAll(CUES, 'ask', true)).toEqual([])
    expect(findAll(CUES, '', false)).toEqual([])
    expect(findAll(CUES, '.', false)).toHaveLength(2)
  })
  it('finds nothing within tags', () => {
    expect(findAll([cue(1, 0, 1, '<i>i is</i>')], 'i', false).map(({ from }) => from)).toEqual([3, 5])
  })
  it('replaces all places or one', () => {
    const matches = findAll(CUES, 'what', false)
    const change = done(replace(CUES, matches, 'WHAT & why'))
    expect(change.cues.map(({ text }) => text)).toEqual([
      'Ask not WHAT & why your country\ncan do for you.',
      'Ask WHAT & why you',
      'can do.',
    ])
    expect(change.cues[1]?.vtt).toBe('Ask WHAT &amp; why you')
    expect(change.cues[2]).toBe(CUES[2])
    expect(done(replace(CUES, matches.slice(1), '')).cues[0]).toBe(CUES[0])
    const three = [cue(1, 0, 1, 'aXaXa')]
    expect(done(replace(three, findAll(three, 'a', true), 'bb')).cues[0]?.text).toBe('bbXbbXbb')
  })
  it('replaces a million places of a caption at once', () => {
    const many = [cue(1, 0, 1, 'ab'.repeat(1_000_000))]
    expect(done(replace(many, findAll(many, 'a', true), 'c')).cues[0]?.text).toBe('cb'.repeat(1_000_000))
  })
})

it('an edit leaves all other cues as they are', () => {
  const { cues } = done(setText(CUES, 2, 'Ask <what> you'))
  expect(cues[0]).toBe(CUES[0])
  expect(cues[1]).toMatchObject({ text: 'Ask <what> you', vtt: 'Ask &lt;what&gt; you' })
})

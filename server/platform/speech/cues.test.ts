import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COLUMNS_PER_SEC, type Cue, columnsOf, LINE_COLUMNS, LONGEST_SEC, SHORTEST_SEC } from './cue-rules.ts'
import { cuesOf, PAUSE_SEC } from './cues.ts'
import { splitWords, type Word } from './words.ts'

/** Speaks texts one after another: each takes `secPerColumn` for a column, after the given silence. */
function spoken(texts: readonly { text: string; silence?: number }[], secPerColumn = 0.07): Word[] {
  let at = 0
  return texts.map(({ text, silence = 0 }) => {
    const fromSec = at + silence
    at = fromSec + columnsOf(text) * secPerColumn
    return { text, fromSec, toSec: at }
  })
}
const speech = (text: string, secPerColumn?: number) =>
  spoken(
    splitWords(text).map((word) => ({ text: word })),
    secPerColumn,
  )
const linesOf = (cues: readonly Cue[]) => cues.map(({ lines }) => lines)
const plain = (texts: readonly string[]) => texts.join('').replace(/\s/g, '')

const LATIN = fc.stringMatching(/^[a-zäöüß]{1,12}[.,?!]?$/)
const OTHER = fc.constantFrom(
  '今天',
  '天气',
  '，',
  '很好。',
  'カタカナ',
  'です。',
  'السلام',
  'عليكم،',
  'שלום',
  '안녕하세요',
  'ภาษา',
  '👩‍👩‍👧',
  'e\u0301tude',
  'iPhone',
)
const LONG = fc.stringMatching(/^[a-z]{30,130}$/)
/** Words with silences between them, from slow speech to faster than anyone reads. */
const words = fc
  .array(
    fc.record({
      text: fc.oneof({ weight: 12, arbitrary: LATIN }, { weight: 4, arbitrary: OTHER }, { weight: 1, arbitrary: LONG }),
      silence: fc.oneof({ weight: 8, arbitrary: fc.double({ min: 0, max: 0.3, noNaN: true }) }, fc.double({ min: 0, max: 5, noNaN: true })),
      length: fc.oneof(
        { weight: 9, arbitrary: fc.double({ min: 0.05, max: 0.8, noNaN: true }) },
        fc.double({ min: 0, max: 12, noNaN: true }),
      ),
    }),
    { maxLength: 80 },
  )
  .map((list): Word[] => {
    let at = 0
    return list.map(({ text, silence, length }) => {
      const fromSec = at + silence
      at = fromSec + length
      return { text, fromSec, toSec: at }
    })
  })

const property = (check: (given: Word[], cues: Cue[]) => void) =>
  fc.assert(
    fc.property(words, (given) => {
      check(given, cuesOf(given))
    }),
    { numRuns: 400 },
  )
const ticks = (sec: number) => Math.round(sec * 20)

describe('captions of any words', () => {
  it('contain every word once, in order', () => {
    property((given, cues) => expect(plain(cues.flatMap(({ lines }) => lines))).toBe(plain(given.map(({ text }) => text))))
  })

  it('have one or two lines of at most 42 columns', () => {
    property((_, cues) => {
      for (const { lines } of cues) {
        expect([1, 2]).toContain(lines.length)
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(LINE_COLUMNS)
      }
    })
  })

  it('have times that are multiples of 50 ms, and do not overlap', () => {
    property((_, cues) => {
      for (const [at, { fromSec, toSec }] of cues.entries()) {
        expect([fromSec * 20, toSec * 20].map((tick) => Math.abs(tick - Math.round(tick)) < 1e-6)).toEqual([true, true])
        expect(ticks(toSec)).toBeGreaterThan(ticks(fromSec))
        expect(ticks(fromSec)).toBeGreaterThanOrEqual(ticks(cues[at - 1]?.toSec ?? 0))
      }
    })
  })

  it('last from 1 to 7 s, and long enough to read; one that the next follows sooner lasts until then', () => {
    property((_, cues) => {
      for (const [at, { fromSec, toSec, lines }] of cues.entries()) {
        expect(ticks(toSec) - ticks(fromSec)).toBeLessThanOrEqual(LONGEST_SEC * 20)
        const isLimited = ticks(toSec) === ticks(cues[at + 1]?.fromSec ?? -1)
        const columns = lines.reduce((sum, line) => sum + columnsOf(line), 0)
        if (!isLimited)
          expect((ticks(toSec) - ticks(fromSec)) / 20).toBeGreaterThanOrEqual(Math.max(SHORTEST_SEC, columns / COLUMNS_PER_SEC))
      }
    })
  })

  it('never hold words from both sides of a pause', () => {
    const apart = fc.tuple(words, fc.double({ min: PAUSE_SEC + 0.001, max: 3, noNaN: true }), words)
    fc.assert(
      fc.property(apart, ([before, silence, after]) => {
        const start = (before.at(-1)?.toSec ?? 0) + silence
        const shifted = after.map(({ text, fromSec, toSec }) => ({ text, fromSec: fromSec + start, toSec: toSec + start }))
        const together = cuesOf([...before, ...shifted])
        const count = plain(before.map(({ text }) => text)).length
        let seen = 0
        const ends = together.map(({ lines }) => {
          seen += plain(lines).length
          return seen
        })
        if (before.length > 0) expect(ends).toContain(count)
      }),
    )
  })

  it('begin when their first word does, to 50 ms, where each word takes longer than that', () => {
    const slow = words.map((given) => given.map((word) => ({ ...word, toSec: Math.max(word.toSec, word.fromSec + 0.1) })))
    fc.assert(
      fc.property(slow, (given) => {
        const sorted = given.filter((word, at) => at === 0 || word.fromSec >= (given[at - 1]?.toSec ?? 0))
        const starts = sorted.map(({ fromSec }) => Math.floor(fromSec * 20))
        // A word that is longer than a line begins within itself as well.
        if (sorted.some(({ text }) => columnsOf(text) > LINE_COLUMNS)) return
        for (const { fromSec } of cuesOf(sorted)) expect(starts).toContain(ticks(fromSec))
      }),
    )
  })

  it('end with the video', () => {
    expect(cuesOf(spoken([{ text: 'Bye.', silence: 9 }]), 9.7)).toEqual([{ fromSec: 9, toSec: 9.7, lines: ['Bye.'] }])
  })
})

describe('where captions are cut', () => {
  const SPEECH =
    'And so, my fellow Americans, ask not what your country can do for you, ask what you can do for your country. My fellow citizens of the world: ask not what America will do for you, but what together we can do for the freedom of man.'

  it('at sentences and clauses', () => {
    expect(linesOf(cuesOf(speech(SPEECH)))).toEqual([
      ['And so, my fellow Americans,'],
      ['ask not what your country can do for you,', 'ask what you can do for your country.'],
      ['My fellow citizens of the world:', 'ask not what America will do for you,'],
      ['but what together we can', 'do for the freedom of man.'],
    ])
  })

  it('where nothing divides the words, into lines of similar length', () => {
    const cues = cuesOf(
      speech('we walked along the river until the evening light had gone and nobody wanted to leave the place we had found'),
    )
    for (const { lines } of cues) {
      const [first = '', second = first] = lines
      expect(Math.abs(columnsOf(first) - columnsOf(second))).toBeLessThanOrEqual(12)
    }
  })

  it('speech that is too fast to read is shown as long as it lasts', () => {
    const cues = cuesOf(speech(SPEECH, 0.02))
    expect(cues.length).toBeGreaterThan(1)
    for (const [at, { toSec }] of cues.slice(0, -1).entries()) expect(toSec).toBe(cues[at + 1]?.fromSec)
    expect(plain(linesOf(cues).flat())).toBe(plain([SPEECH]))
  })

  it('Chinese and Japanese: lines of at most 21 wide characters, and none begins with punctuation', () => {
    const text =
      '今天天气很好，我们一起去公园散步吧。明天再去图书馆看书，然后回家做饭，给大家吃。昨日は雨が降っていましたが、今日はとても良い天気です。'
    const lines = cuesOf(speech(text, 0.1)).flatMap((cue) => cue.lines)
    expect(lines.join('')).toBe(text)
    for (const line of lines) {
      expect([...line].length).toBeLessThanOrEqual(21)
      expect(line).not.toMatch(/^[，。、]/)
    }
  })

  it('no line begins with a closing bracket that is a word of its own', () => {
    const text = '今天天气很好我们一起去公园散步吧明天再去图书馆看书然后回家做饭给大家吃'
    for (let at = 1; at < text.length; at++) {
      const characters = [...text.slice(0, at), '）', ...text.slice(at)].map((character) => ({ text: character }))
      for (const line of cuesOf(spoken(characters, 0.1)).flatMap(({ lines }) => lines)) expect(line).not.toMatch(/^）/)
    }
  })

  it('text from right to left keeps its logical order', () => {
    const text = 'السلام عليكم ورحمة الله وبركاته، أهلا وسهلا بكم في هذا الدرس الجديد من دروس اللغة العربية.'
    const cues = cuesOf(speech(text))
    expect(cues.flatMap(({ lines }) => lines).join(' ')).toBe(text)
    expect(cues[0]?.lines.join(' ')).toContain('وبركاته،')
  })

  it.each([
    ['café', 4],
    ['cafe\u0301', 4],
    ['今天', 4],
    ['한국', 4],
    ['한국'.normalize('NFD'), 4],
    ['👩‍👩‍👧🇳🇱👍🏽', 6],
    ['ｶﾅ', 2],
    ['שָׁלוֹם', 4],
  ])('%s takes %i columns', (text, columns) => {
    expect(columnsOf(text)).toBe(columns)
  })

  it('a word that is longer than a line is divided between characters', () => {
    const [cue] = cuesOf([{ text: `${'e\u0301'.repeat(30)}${'👩‍👩‍👧'.repeat(10)}`, fromSec: 0, toSec: 3 }])
    expect(cue?.lines).toEqual([`${'e\u0301'.repeat(30)}${'👩‍👩‍👧'.repeat(6)}`, '👩‍👩‍👧'.repeat(4)])
  })
})

it('takes time in proportion to the words', () => {
  const hour = speech('So this is what we are going to talk about today, and then we will look at some of the examples. '.repeat(500))
  expect(cuesOf(hour).length).toBeGreaterThan(500)
})

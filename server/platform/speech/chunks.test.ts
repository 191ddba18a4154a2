import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type HeardChunk, joinChunks, planChunks, plausibleWords, trackLanguage, wordsInSpeech } from './chunks.ts'
import { SpeechError } from './engine.ts'
import type { Span, Word } from './words.ts'

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const texts = (words: readonly Word[]) => words.map(({ text }) => text)
const total = (spans: readonly Span[]) => spans.reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0)

/** Speech of up to some hours: spans of any length, with pauses of any length. */
const speech = fc.array(fc.tuple(between(0.1, 90), between(0.2, 600)), { maxLength: 60 }).map((parts): Span[] => {
  let at = 0
  return parts.map(([pause, length]) => {
    const fromSec = at + pause
    at = fromSec + length
    return { fromSec, toSec: at }
  })
})
const maxSec = fc.constantFrom(30, 60, 300, 600)

describe('chunks of a track', () => {
  it('are not longer than allowed, in order, and contain all speech', () => {
    fc.assert(
      fc.property(speech, maxSec, (spans, longest) => {
        const chunks = planChunks(spans, longest)
        for (const [at, { fromSec, toSec }] of chunks.entries()) {
          expect(toSec - fromSec).toBeGreaterThan(0)
          expect(toSec - fromSec).toBeLessThanOrEqual(longest + 1e-6)
          expect(fromSec).toBeGreaterThan(chunks[at - 1]?.fromSec ?? -1)
        }
        for (const span of spans) {
          let at = span.fromSec
          for (const { fromSec, toSec } of chunks) if (fromSec <= at + 1e-9) at = Math.max(at, toSec)
          expect(at).toBeGreaterThanOrEqual(span.toSec - 1e-9)
        }
      }),
    )
  })

  it('overlap only where speech has no pause', () => {
    fc.assert(
      fc.property(speech, maxSec, (spans, longest) => {
        const chunks = planChunks(spans, longest)
        for (const [at, { fromSec }] of chunks.entries()) {
          const before = chunks[at - 1]
          if (!before || before.toSec <= fromSec) continue
          expect(before.toSec - fromSec).toBeCloseTo(4)
          const [earliest, latest] = [before.fromSec + (longest * 2) / 3, before.toSec]
          expect(spans.slice(0, -1).filter(({ toSec }) => toSec >= earliest + 1e-6 && toSec <= latest - 1e-6)).toEqual([])
        }
      }),
    )
  })

  it('leave out long silence', () => {
    const spans = [
      { fromSec: 1, toSec: 5 },
      { fromSec: 7_200, toSec: 7_205 },
    ]
    expect(planChunks(spans, 300)).toEqual(spans)
  })

  it('of ten hours without a pause are as many as needed', () => {
    const chunks = planChunks([{ fromSec: 0, toSec: 36_000 }], 300)
    expect(chunks).toHaveLength(122)
    expect(total(chunks)).toBeCloseTo(36_000 + 121 * 4)
  })

  it('of silence are none', () => expect(planChunks([], 300)).toEqual([]))
})

/** Words of real speech: often the same one again, at 1 to 5 a second. */
const track = fc.array(
  fc.tuple(fc.constantFrom('no', 'the', 'the', 'and', 'river', 'light', 'go'), between(0.12, 0.6), between(0.02, 0.4)),
  {
    minLength: 20,
    maxLength: 200,
  },
)

/** What an engine hears in a chunk: times differ a little each time, and the words at its ends are cut. */
function heard(words: readonly Word[], chunk: Span, shiftOf: () => number): HeardChunk {
  const parts = words.flatMap((word): Word[] => {
    if (word.toSec <= chunk.fromSec || word.fromSec >= chunk.toSec) return []
    const isCut = word.fromSec < chunk.fromSec || word.toSec > chunk.toSec
    const shift = shiftOf()
    return [{ text: isCut ? word.text.slice(1) || 'uh' : word.text, fromSec: word.fromSec + shift, toSec: word.toSec + shift }]
  })
  return { ...chunk, words: parts }
}

describe('words of overlapping chunks', () => {
  it('are joined without doubles and losses', () => {
    const shifts = fc.infiniteStream(between(-0.04, 0.04))
    // Every other chunk hears all words earlier.
    const early = fc.constantFrom(0, -0.15, 0.15)
    fc.assert(
      fc.property(track, between(12, 20), shifts, early, (given, longest, shift, earlySec) => {
        let at = 0
        const words = given.map(([text, length, pause]): Word => {
          const fromSec = at + pause
          at = fromSec + length
          return { text, fromSec, toSec: at }
        })
        const chunks = planChunks([{ fromSec: words[0]?.fromSec ?? 0, toSec: at }], longest)
        const joined = joinChunks(
          chunks.map((chunk, position) => heard(words, chunk, () => (shift.next().value ?? 0) + (position % 2) * earlySec)),
        )
        expect(texts(joined)).toEqual(texts(words))
        for (const [position, { fromSec, toSec }] of joined.entries()) {
          expect(fromSec).toBeGreaterThanOrEqual(joined[position - 1]?.toSec ?? 0)
          expect(Math.abs(fromSec - (words[position]?.fromSec ?? 0))).toBeLessThan(0.35)
          expect(toSec).toBeGreaterThanOrEqual(fromSec)
        }
      }),
    )
  })

  it('of which none is alike change over in the middle', () => {
    const earlier = { fromSec: 0, toSec: 14, words: ['a', 'b', 'c', 'd'].map((text, at) => ({ text, fromSec: 10 + at, toSec: 10.8 + at })) }
    const later = { fromSec: 10, toSec: 24, words: ['w', 'x', 'y', 'z'].map((text, at) => ({ text, fromSec: 10 + at, toSec: 10.8 + at })) }
    expect(texts(joinChunks([earlier, later]))).toEqual(['a', 'b', 'y', 'z'])
  })

  it('of chunks that a pause separates are all kept', () => {
    const word = (text: string, fromSec: number) => ({ text, fromSec, toSec: fromSec + 0.5 })
    const chunks = [
      { fromSec: 0, toSec: 10, words: [word('yes', 9.4)] },
      { fromSec: 10.3, toSec: 20, words: [word('yes', 10.4)] },
    ]
    expect(texts(joinChunks(chunks))).toEqual(['yes', 'yes'])
  })
})

describe('words where nobody speaks', () => {
  const spans = [
    { fromSec: 1, toSec: 4 },
    { fromSec: 8, toSec: 12 },
  ]

  it('are left out, and others end with speech', () => {
    const words = [
      { text: 'thanks', fromSec: 0, toSec: 0.5 },
      { text: 'hello', fromSec: 0.8, toSec: 2 },
      { text: 'there', fromSec: 2, toSec: 7.9 },
      { text: 'invented', fromSec: 5, toSec: 7 },
      { text: 'late', fromSec: 7.5, toSec: 9 },
      { text: 'bye', fromSec: 11.5, toSec: 20 },
    ]
    expect(wordsInSpeech(words, spans)).toEqual([
      { text: 'hello', fromSec: 1, toSec: 2 },
      { text: 'there', fromSec: 2, toSec: 4 },
      { text: 'late', fromSec: 8, toSec: 9 },
      { text: 'bye', fromSec: 11.5, toSec: 12 },
    ])
  })

  it('are moved to speech nearby, where an engine placed them beside it', () => {
    const words = [
      { text: 'country', fromSec: 4.1, toSec: 4.4 },
      { text: 'can', fromSec: 7.5, toSec: 7.8 },
    ]
    expect(wordsInSpeech(words, spans)).toEqual([
      { text: 'country', fromSec: 4, toSec: 4 },
      { text: 'can', fromSec: 8, toSec: 8 },
    ])
  })

  it('that last over a silence are said where more of them is', () => {
    expect(wordsInSpeech([{ text: 'so', fromSec: 3.9, toSec: 8.6 }], spans)).toEqual([{ text: 'so', fromSec: 8, toSec: 8.6 }])
  })

  it('without speech are none', () => expect(wordsInSpeech([{ text: 'a', fromSec: 0, toSec: 1 }], [])).toEqual([]))
})

describe('the language of a track', () => {
  const chunk = (language: string | null, count: number) => ({
    language,
    words: Array.from({ length: count }, (_, at) => ({ text: 'a', fromSec: at, toSec: at })),
  })

  it('is not the one of most chunks, but of most words where they have no length', () => {
    expect(trackLanguage([chunk('en', 3), chunk('en', 2), chunk('de', 40), chunk(null, 100)])).toBe('de')
  })

  it('is the one that was spoken longest, however many words its script takes', () => {
    const lasting = (language: string, count: number, sec: number) => ({
      language,
      words: Array.from({ length: count }, (_, at) => ({ text: 'a', fromSec: at, toSec: at + sec })),
    })
    expect(trackLanguage([lasting('zh', 100, 0.2), lasting('en', 60, 0.5)])).toBe('en')
  })

  it('is unknown where no engine names one', () => expect(trackLanguage([chunk(null, 9)])).toBeNull())
})

describe("an engine's times", () => {
  const words = (...times: [number, number][]) => times.map(([fromSec, toSec], at) => ({ text: `w${at}`, fromSec, toSec }))
  const refusal = (given: Word[]) => {
    try {
      plausibleWords(given, 10)
    } catch (error) {
      if (error instanceof SpeechError) return error.kind
      throw error
    }
  }

  it('are clamped where they are slightly wrong', () => {
    expect(plausibleWords(words([-0.4, 0.5], [0.4, 1], [2, 1.9], [9.8, 10.6]), 10)).toEqual([
      { text: 'w0', fromSec: 0, toSec: 0.4 },
      { text: 'w1', fromSec: 0.4, toSec: 1 },
      { text: 'w2', fromSec: 2, toSec: 2 },
      { text: 'w3', fromSec: 9.8, toSec: 10 },
    ])
  })

  it.each([
    ['negative', words([-90, -80], [-70, -60])],
    ['after the end', words([1, 2], [500, 501], [600, 700])],
    ['without end', words([1, Number.POSITIVE_INFINITY], [2, Number.NaN])],
    ['not in order', words([9, 9.5], [1, 1.5], [7, 7.2], [2, 2.5])],
    ['milliseconds', words([0, 400], [400, 900], [900, 2_000], [2_000, 2_400])],
  ])('make a chunk useless where they are %s', (_, given) => expect(refusal(given)).toBe('refused'))

  it('of one word in eleven cost that word', () => {
    const given = words(...Array.from({ length: 10 }, (_, at): [number, number] => [at, at + 0.5]), [900, 901])
    expect(texts(plausibleWords(given, 10))).toEqual(given.slice(0, 10).map(({ text }) => text))
  })

  it('are in order and within the chunk, whatever an engine says', () => {
    const any = fc.array(fc.record({ text: fc.constantFrom('a', ' b ', '', ' '), fromSec: fc.double(), toSec: fc.double() }))
    fc.assert(
      fc.property(any, (given) => {
        if (refusal(given)) return
        let at = 0
        for (const { text, fromSec, toSec } of plausibleWords(given, 10)) {
          expect(text.trim()).toBe(text)
          expect(text).not.toBe('')
          expect(fromSec).toBeGreaterThanOrEqual(at)
          expect(toSec).toBeGreaterThanOrEqual(fromSec)
          expect(toSec).toBeLessThanOrEqual(10)
          at = toSec
        }
      }),
    )
  })
})

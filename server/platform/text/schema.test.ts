import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { asOneLine } from './one-line.ts'
import { lines, oneLine, text, utcDay, utcTime } from './schema.ts'

describe('text', () => {
  it('puts letters and their marks together', () => {
    expect(text().parse('Scho\u0308ne Cafe\u0301s')).toBe('Schöne Cafés')
  })

  it('bounds the length of what it returns', () => {
    const syllables = '각'.repeat(60)
    expect(oneLine(text().trim().max(60)).parse(syllables.normalize('NFD'))).toBe(syllables)
  })
})

const refusalOf = (schema: z.ZodType, text: string) => schema.safeParse(text).error?.issues.map(({ message }) => message)

describe('oneLine', () => {
  const name = oneLine(z.string().trim().max(60))

  it.each([
    ['NUL', 'a\0b', 'Remove the control character U+0000 from this text.'],
    ['a tab', 'a\tb', 'Remove the control character U+0009 from this text.'],
    ['a line end', 'a\nb', 'Remove the control character U+000A from this text.'],
    ['an escape sequence', 'a\x1b[2Jb', 'Remove the control character U+001B from this text.'],
    ['a control character of C1', 'a\x85b', 'Remove the control character U+0085 from this text.'],
    ['a line separator', 'a\u2028b', 'Remove the control character U+2028 from this text.'],
    ['an override', 'invoice\u202e4pm.exe', 'Remove the character U+202E, which changes the direction of the text around it.'],
    ['an embedding', 'a\u202ab\u202c', 'Remove the character U+202A, which changes the direction of the text around it.'],
    ['an open isolate', 'a\u2067b', 'Close each directional isolate (U+2066 to U+2068) with U+2069, or remove them.'],
    ['an isolate closed twice', 'a\u2066b\u2069\u2069', 'Close each directional isolate (U+2066 to U+2068) with U+2069, or remove them.'],
    ['an isolate closed before', 'a\u2069b\u2066', 'Close each directional isolate (U+2066 to U+2068) with U+2069, or remove them.'],
    ['a space without width', '\u200b', 'Use at least one visible character.'],
    ['a soft hyphen', '\u00ad', 'Use at least one visible character.'],
    ['a Hangul filler', '\u3164', 'Use at least one visible character.'],
    ['a Braille cell without dots', '\u2800', 'Use at least one visible character.'],
    ['a mark without a letter', '\u0301', 'Use at least one visible character.'],
    ['an unpaired surrogate', 'a\ud800', 'Remove the invisible characters from this text.'],
  ])('refuses %s', (_, text, message) => {
    expect(refusalOf(name, text)).toEqual([message])
  })

  it.each([
    ['emoji joined without width', '👩‍🔬 في المختبر'],
    ['the flag of Wales, of tags', '🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}'],
    ['marks of direction', 'שיעור 1\u200f: מבוא'],
    ['a closed isolate', 'Lesson \u2068שיעור\u2069 of 3'],
    ['a non-joiner', 'می\u200cخواهم'],
  ])('keeps %s', (_, text) => {
    expect(name.parse(text)).toBe(text)
  })
})

describe('lines', () => {
  const description = lines(z.string().trim().max(60))

  it('keeps tabs, and gives line ends one form', () => {
    expect(description.parse('a\tb\r\nc\rd\n')).toBe('a\tb\nc\nd')
  })

  it.each(['a\x07b', 'a\vb', 'a\x9bb'])('refuses %j', (text) => {
    expect(refusalOf(description, text)).toEqual([expect.stringMatching(/^Remove the control character U\+00/)])
  })

  it('refuses an override', () => {
    expect(refusalOf(description, 'a\nb\u202d')).toEqual([expect.stringContaining('U+202D')])
  })
})

describe('asOneLine', () => {
  it('leaves of a name what oneLine accepts', () => {
    expect(asOneLine('a\tb\u202egpj\u2066\ud800.mp4')).toBe('abgpj\ufffd.mp4')
  })
})

describe('times', () => {
  it('a day has a year that the database knows', () => {
    expect(['1000-01-01', '2024-02-29', '9998-12-31'].map((day) => utcDay.safeParse(day).success)).toEqual([true, true, true])
    expect(['0001-01-01', '2026-02-29', '9999-01-01'].map((day) => utcDay.safeParse(day).success)).toEqual([false, false, false])
  })

  it('a time is one in UTC, whose year the database knows', () => {
    expect(utcTime('2026-11-21T09:00:00+05:30')).toBe('2026-11-21T03:30:00.000Z')
    expect(['0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00Z', 'x'].map(utcTime)).toEqual(
      Array(4).fill(undefined),
    )
  })
})

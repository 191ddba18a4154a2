import { describe, expect, it } from 'vitest'
import { assToSrt, toWebVtt } from './captions-text.ts'

const file = (...events: string[]) =>
  [
    '[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]',
    'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
    ...events,
    '',
  ].join('\r\n')
const line = (start: number, text: string, kind = 'Dialogue') =>
  `${kind}: 0,0:00:0${start}.00,0:00:0${start + 1}.00,Default,,0,0,0,,${text}`
const shown = (...events: string[]) => toWebVtt(assToSrt(file(...events))).vtt.replace('WEBVTT\n\n', '')

describe('assToSrt', () => {
  it('keeps the text of dialogue alone, commas included', () => {
    expect(shown(line(1, 'One, two'), line(2, 'not shown', 'Comment'), line(3, '42'))).toBe(
      '00:00:01.000 --> 00:00:02.000\nOne, two\n\n00:00:03.000 --> 00:00:04.000\n42\n',
    )
  })

  it('shows lines, styles and rows, and no drawings, comments and karaoke codes', () => {
    expect(shown(line(1, '{\\an8}Top\\Nsecond {\\i1}italic{\\i0}'))).toMatch(/ line:0\nTop\nsecond <i>italic<\/i>\n$/)
    expect(shown(line(1, '{\\an7\\p1}m 348 49 l 367 49{\\p0}'), line(2, '{\\k20}ka{\\kf30}ra{\\ko40}oke'))).toMatch(
      /^00:00:02.*\nkaraoke\n$/,
    )
    expect(shown(line(1, 'a{a comment}b{with a code\\b1}c\\hd\\ne'))).toMatch(/\nab<b>c d e<\/b>\n$/)
  })

  it('shows what looks like a tag or an entity as it is written', () => {
    expect(shown(line(1, '1 <b> &amp; 2'))).toMatch(/\n1 &lt;b&gt; &amp;amp; 2\n$/)
  })

  it('shows a line of two layers once', () => {
    const layer = (number: number) => line(1, 'Title').replace(': 0', `: ${number}`)
    expect(shown(layer(0), layer(1))).toBe('00:00:01.000 --> 00:00:02.000\nTitle\n')
  })

  it('reads fields by their names', () => {
    const ssa = '[Events]\nFormat: Marked, Start, End, Text\nDialogue: Marked=0,0:00:01.00,0:00:02.50,{\\a6}Hello, you\n'
    expect(toWebVtt(assToSrt(ssa)).vtt).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.500 line:0\nHello, you\n')
  })

  it('reads a format of a million characters once, not for each line', () => {
    const ass = `[Events]\nFormat: ${'a,'.repeat(500_000)}Start,End,Text\n${'Dialogue: 1\n'.repeat(80_000)}`
    expect(assToSrt(ass)).toBe('1\n --> \n\n')
  })

  it('reads a line of blanks and carriage returns once', () => {
    expect(assToSrt(`Dialogue:${' '.repeat(1_000_000)}x\rx`)).toBe('')
  })

  it('returns nothing for other text', () => expect(assToSrt('Dialogue: no')).toBe(''))
})

import { describe, expect, it } from 'vitest'
import { readVttFile, toSrtFile, toVttFile } from '../../../platform/speech/cue-files.ts'
import { cuesOf } from '../../../platform/speech/cues.ts'
import { splitWords } from '../../../platform/speech/words.ts'
import { captionsOf, toWebVtt } from './captions-text.ts'

const SRT =
  '\uFEFF1\r\n00:00:01,500 --> 00:00:03,000\r\n<i>Good</i> morning,\r\n<font color="red">harbour</font>.\r\n\r\n2\r\n00:00:04,000 --> 00:00:05,000\r\n5 < 6 & 7 > 6\r\n'

describe('toWebVtt', () => {
  it('converts SRT to WebVTT', () => {
    expect(toWebVtt(SRT)).toEqual({
      cues: 2,
      vtt: 'WEBVTT\n\n00:00:01.500 --> 00:00:03.000\n<i>Good</i> morning,\nharbour.\n\n00:00:04.000 --> 00:00:05.000\n5 &lt; 6 & 7 &gt; 6\n',
    })
  })

  it('keeps cues and their positions in WebVTT, and removes everything else', () => {
    const given =
      'WEBVTT - title\nKind: captions\n\nSTYLE\n::cue { background: url(http://other.example/) }\n\nREGION\nid:fred\n\nNOTE\nnot shown\n\nintro\n00:01.000 --> 00:02.000 line:0 align:start onload:x region:fred\n<v Ann>Hello</v> <c.loud>there</c>\n'
    expect(toWebVtt(given).vtt).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000 line:0 align:start\n<v Ann>Hello</v> <c.loud>there</c>\n')
  })

  it('keeps captions that this service made of speech, from WebVTT and from SRT', () => {
    const words = splitWords('Ask not what your country can do for you, ask what you can do for your country. 今天天气很好。 שלום לכולם.')
    const cues = cuesOf(words.map((text, at) => ({ text, fromSec: at * 0.4, toSec: at * 0.4 + 0.4 })))
    expect(cues.length).toBeGreaterThan(1)
    expect(toWebVtt(toVttFile(cues))).toEqual({ vtt: toVttFile(cues), cues: cues.length })
    expect(toWebVtt(toSrtFile(cues))).toEqual({ vtt: toVttFile(cues), cues: cues.length })
    const marked = [{ fromSec: 1, toSec: 2, lines: ['Tom & Jerry <3'] }]
    expect(readVttFile(toWebVtt(toVttFile(marked)).vtt)).toEqual(marked)
  })

  const TWO = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nfirst\n1984\n\n00:00:03.000 --> 00:00:04.000\nnext\n'
  it.each([
    ['blanks on the lines between cues', '1\n00:00:01,000 --> 00:00:02,000\nfirst\n1984\n \t\n2\n00:00:03,000 --> 00:00:04,000\nnext\n \n'],
    ['no lines between cues', '1\n00:00:01,000 --> 00:00:02,000\nfirst\n1984\n2\n00:00:03,000 --> 00:00:04,000\nnext\n'],
    ['empty lines everywhere', '1\n\n00:00:01,000 --> 00:00:02,000\n\nfirst\n\n1984\n\n2\n\n00:00:03,000 --> 00:00:04,000\n\nnext\n\n'],
    [
      'doubled carriage returns',
      '1\r\r\n00:00:01,000 --> 00:00:02,000\r\r\nfirst\r\r\n1984\r\r\n\r\r\n2\r\r\n00:00:03,000 --> 00:00:04,000\r\r\nnext',
    ],
    ['an empty line in the text', '1\n00:00:01,000 --> 00:00:02,000\nfirst\n\n1984\n\n2\n00:00:03,000 --> 00:00:04,000\nnext'],
    [
      'cues without text',
      '1\n00:00:01,000 --> 00:00:02,000\nfirst\n1984\n2\n00:00:02,000 --> 00:00:03,000\n3\n00:00:03,000 --> 00:00:04,000\nnext\n\n4\n',
    ],
    ['no numbers', '00:00:01,000 --> 00:00:02,000\nfirst\n1984\n00:00:03,000 --> 00:00:04,000\nnext\n'],
    ['microseconds', '1\n00:00:01,000000 --> 00:00:02,000000\nfirst\n1984\n\n2\n00:00:03,000000 --> 00:00:04.0\nnext\n'],
    ['no fractions', '1\n00:00:01 --> 00:00:02\nfirst\n1984\n\n2\n00:00:03 --> 00:00:04\nnext\n'],
    [
      'marks of right-to-left text',
      '\u202b1\u202c\n\u202b00:00:01,000 --> 00:00:02,000\u202c\nfirst\n1984\n\u202b2\u202c\n\u202b00:00:03,000 --> 00:00:04,000\u202c\nnext',
    ],
    [
      'blanks in times and shorter arrows',
      '1\n00: 00: 01, 000 -> 00: 00: 02, 000\nfirst\n1984\n\n2\n00:00:03 , 000 - -> 00:00:04, 000\nnext\n',
    ],
    ['no lines between cues of WebVTT', 'WEBVTT\n00:01.000 --> 00:02.000\nfirst\n1984\n00:03.000 --> 00:04.000\nnext\n\nNOTE not shown\n'],
  ])('shows the text alone of a file with %s', (_name, text) => {
    expect(toWebVtt(text).vtt).toBe(TWO)
  })

  it('counts seconds beyond 59, and keeps times in a text', () => {
    const { vtt } = toWebVtt(
      '1\n00:00:59,000 --> 00:00:60,500\nTrain 10:30 -> 11:00\n10:30 -> 11:00\n\n2\n00:01:60,000 --> 00:02:03,000\nnext',
    )
    expect(vtt).toBe(
      'WEBVTT\n\n00:00:59.000 --> 00:01:00.500\nTrain 10:30 -&gt; 11:00\n10:30 -&gt; 11:00\n\n00:02:00.000 --> 00:02:03.000\nnext\n',
    )
  })

  it('keeps a number that is the text of a cue', () => {
    const { vtt } = toWebVtt('00:01.000 --> 00:02.000\n1984\n\n00:03.000 --> 00:04.000\nnext\n00:05.000 --> 00:06.000\n42')
    expect(vtt).toMatch(/\n1984\n\n.*\nnext\n\n.*\n42\n$/)
  })

  it('keeps what override codes mean and shows none of them, nor drawings', () => {
    const cue = (text: string) => toWebVtt(`1\n00:00:01,000 --> 00:00:02,000\n${text}`).vtt.replace('WEBVTT\n\n', '')
    const at = '00:00:01.000 --> 00:00:02.000'
    expect(cue('{\\an8}Top')).toBe(`${at} line:0\nTop\n`)
    expect(cue('{\\a6}Top')).toBe(`${at} line:0\nTop\n`)
    expect(cue('{\\a10}Middle')).toBe(`${at} line:50%\nMiddle\n`)
    expect(cue('{\\an2\\pos(3,4)}Below')).toBe(`${at}\nBelow\n`)
    expect(cue('{\\k20}ka{\\k30}ra{\\kf40}oke')).toBe(`${at}\nkaraoke\n`)
    expect(cue('{\\i1}a{\\b1}b{\\i0}c\nd{\\r}e {\\u1}{\\u0}{\\b700}f')).toBe(`${at}\n<i>a</i><b><i>b</i></b><b>c\nd</b>e <b>f</b>\n`)
    expect(cue('{\\p1}m 0 0 l 10 10{\\p0}seen{\\p4}m 1 1\nl 2 2')).toBe(`${at}\nseen\n`)
    expect(toWebVtt('00:01.000 --> 00:02.000\n{\\p1}m 0 0 l 10 10').cues).toBe(0)
    expect(toWebVtt('00:01.000 --> 00:02.000 line:90%\n{\\an8}{no code}').vtt).toContain('line:90%\n{no code}\n')
  })

  it('sorts cues by time', () => {
    const { vtt } = toWebVtt('00:05.000 --> 00:06.000\nsecond\n\n00:01.000 --> 00:02.000\nfirst\n')
    expect(vtt.indexOf('first')).toBeLessThan(vtt.indexOf('second'))
  })

  it('keeps times of several hours', () => {
    expect(toWebVtt('1\n11:59:59,999 --> 12:00:01,000\nlate').vtt).toContain('11:59:59.999 --> 12:00:01.000')
  })

  it.each([
    ['nothing', ''],
    ['a head alone', 'WEBVTT\n\n'],
    ['prose', 'This is\n\nno caption file.'],
    ['time that goes backwards', '00:02.000 --> 00:01.000\nno'],
    ['cues without words', '00:01.000 --> 00:02.000\n\n'],
    ['a page', '<html><script>alert(1)</script></html>'],
  ])('finds no cues in %s', (_name, text) => {
    expect(toWebVtt(text).cues).toBe(0)
  })

  it('removes markup that a page could interpret', () => {
    const { vtt } = toWebVtt(
      '00:01.000 --> 00:02.000\n<script>alert(1)</script><img src=x onerror=y> 00:01.000 --> 00:03.000\n<v Ann onload=x>hi',
    )
    expect(vtt).not.toMatch(/<script|<img|onerror/)
    expect(vtt.match(/-->/g)).toHaveLength(1)
    expect(toWebVtt('00:01.000 --> 00:02.000\n<v a-->Ann <lang en-->speaks</lang>').vtt).toContain('\nAnn speaks</lang>\n')
  })

  it('removes control characters, and composes what they separate', () => {
    expect(toWebVtt('00:01.000 --> 00:02.000\na\0b\x01\tc\x7f e\x02\u0301\u0085').vtt).toMatch(/\nab\tc \u00e9\n$/)
  })

  it('refuses a text that is too long as WebVTT, whose draft could not be saved', () => {
    const content = `00:01.000 --> 00:02.000\n${'<'.repeat(100)}`
    const { length } = toWebVtt(content).vtt
    expect(captionsOf({ content, most: length })).toMatchObject({ cues: 1 })
    expect(captionsOf({ content, most: length - 1 })).toEqual({ refused: 'too long' })
  })

  it('handles two million characters in linear time', () => {
    const many = Array.from(
      { length: 20_000 },
      (_, at) => `${at}\n00:00:00,000 --> 00:00:0${1 + (at % 9)},000\n${'word '.repeat(10)}\n`,
    ).join('\n')
    expect(toWebVtt(many).cues).toBe(20_000)
    expect(toWebVtt('<'.repeat(500_000)).cues).toBe(0)
    expect(toWebVtt(`00:01.000 --> 00:02.000\n${'<v '.repeat(300_000)}`).cues).toBe(1)
    // Of two classes in turn: each mark moves before those of the other class.
    expect(toWebVtt(`00:01.000 --> 00:02.000\na${'\u0301\u0316'.repeat(1_000_000)}`).vtt).toMatch(/\n\u00e1\u0316+\u0301+\n$/)
    for (const piece of ['{\\', '{\\b1}x', '\n1', '\n '])
      expect(toWebVtt(`1\n00:01.000 --> 00:02.000\nx${piece.repeat(100_000)}`).cues).toBe(1)
  })
})

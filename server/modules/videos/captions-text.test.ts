import { describe, expect, it } from 'vitest'
import { toWebVtt } from './captions-text.ts'

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
  })

  it('handles two million characters in linear time', () => {
    const many = Array.from(
      { length: 20_000 },
      (_, at) => `${at}\n00:00:00,000 --> 00:00:0${1 + (at % 9)},000\n${'word '.repeat(10)}\n`,
    ).join('\n')
    expect(toWebVtt(many).cues).toBe(20_000)
    expect(toWebVtt('<'.repeat(500_000)).cues).toBe(0)
    expect(toWebVtt(`00:01.000 --> 00:02.000\n${'<v '.repeat(300_000)}`).cues).toBe(1)
  })
})

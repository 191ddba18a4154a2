import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readVttFile, timeStamp, toSrtFile, toVttFile } from './cue-files.ts'
import type { Cue } from './cue-rules.ts'

const CUES: Cue[] = [
  { fromSec: 0, toSec: 1.05, lines: ['Tom & Jerry <laughing> --> all'] },
  { fromSec: 3_599.95, toSec: 3_661.5, lines: ['Two lines,', 'the second & last'] },
]

it('writes WebVTT and SRT', () => {
  expect(toVttFile(CUES)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.050\nTom &amp; Jerry &lt;laughing&gt; --&gt; all\n\n00:59:59.950 --> 01:01:01.500\nTwo lines,\nthe second &amp; last\n',
  )
  expect(toSrtFile(CUES)).toBe(
    '1\n00:00:00,000 --> 00:00:01,050\nTom & Jerry <laughing> --> all\n\n2\n00:59:59,950 --> 01:01:01,500\nTwo lines,\nthe second & last\n',
  )
  expect([toVttFile([]), toSrtFile([])]).toEqual(['WEBVTT\n\n', ''])
})

it('has times of more than 99 hours', () => expect(timeStamp(360_000.05)).toBe('100:00:00.050'))

it('reads the WebVTT that it writes', () => {
  const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 42 }).map((text) => text.replace(/[\p{C}\p{Z}\s]/gu, '_') || '_')
  const cue = fc.record({
    fromSec: fc.integer({ min: 0, max: 2_000_000 }).map((tick) => tick / 20),
    toSec: fc.integer({ min: 2_000_001, max: 4_000_000 }).map((tick) => tick / 20),
    lines: fc.array(line, { minLength: 1, maxLength: 2 }),
  })
  fc.assert(
    fc.property(fc.array(cue, { maxLength: 5 }), (cues) => {
      expect(readVttFile(toVttFile(cues))).toEqual(cues)
    }),
  )
})

it('reads WebVTT without tags and settings', () => {
  expect(readVttFile('WEBVTT\n\n00:00:01.000 --> 00:00:02.500 line:0 align:start\n<i>One</i> &amp; <v Anna>two\n')).toEqual([
    { fromSec: 1, toSec: 2.5, lines: ['One & two'] },
  ])
})

import { expect, test } from 'vitest'
import { secondsOf } from './progress.ts'

test.each([
  ['nothing', [], '0000000000'],
  ['40 %', [[0, 4]], '1111000000'],
  [
    '40 % and the end after a seek',
    [
      [0, 4],
      [9, 10],
    ],
    '1111000001',
  ],
  [
    'stretches that follow each other within a second',
    [
      [0, 2.3],
      [2.3, 4],
    ],
    '1111000000',
  ],
  [
    'the same second twice',
    [
      [1, 2],
      [1, 2],
    ],
    '0100000000',
  ],
  ['less than half of a second', [[3.6, 4.4]], '0000000000'],
  ['more than the video has', [[8, 99]], '0000000011'],
] as [string, [number, number][], string][])('%s', (_name, spans, seconds) => expect(secondsOf(spans, 10)).toBe(seconds))

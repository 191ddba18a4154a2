import { expect, test } from 'vitest'
import { spansOf } from './spans.ts'

test.each([
  ['nothing', '0000', 9, []],
  ['everything', '1111', 9, [[0, 4]]],
  [
    'two parts, with the last second',
    '0110001',
    9,
    [
      [1, 3],
      [6, 7],
    ],
  ],
  [
    'the longest gaps of too many',
    '10100010110001',
    3,
    [
      [0, 3],
      [6, 10],
      [13, 14],
    ],
  ],
] as const)('%s', (_name, seconds, most, spans) => expect(spansOf(seconds, most)).toEqual(spans))

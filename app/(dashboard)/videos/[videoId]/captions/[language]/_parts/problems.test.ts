import { expect, it } from 'vitest'
import type { Cue } from './cue-document.ts'
import { differences } from './differences.ts'
import { problemsOf } from './problems.ts'

const cue = (startMs: number, endMs: number, vtt: string, id = 1): Cue => ({ id, startMs, endMs, settings: '', vtt, text: vtt })

it.each<[string, Cue, number | undefined, string[]]>([
  ['nothing', cue(0, 2_000, 'Hello there.'), 2_000, []],
  ['tags and entities', cue(0, 2_000, `<v Somebody with a long name>${'a'.repeat(20)} &amp; ${'b'.repeat(17)}`), undefined, []],
  ['an overlap', cue(0, 2_000, 'Hello there.'), 1_999, ['Overlaps the next caption']],
  ['no text', cue(0, 2_000, ''), undefined, ['No text yet']],
  ['three lines', cue(0, 3_000, 'a\nb\nc'), undefined, ['3 lines (at most 2)']],
  ['many lines', cue(0, 7_000, 'a\n'.repeat(500_000)), undefined, ['500001 lines (at most 2)', '71429 characters per second (at most 20)']],
  ['a long line', cue(0, 5_000, 'a'.repeat(43)), undefined, ['43 characters in a line (at most 42)']],
  ['wide characters', cue(0, 5_000, '字'.repeat(22)), undefined, ['44 characters in a line (at most 42)']],
  ['a short time', cue(0, 900, 'Hello'), undefined, ['On screen for 0.90 s (at least 1 s)']],
  ['a long time', cue(0, 7_100, 'Hello'), undefined, ['On screen for 7.1 s (at most 7 s)']],
  ['fast speech', cue(0, 1_000, 'a'.repeat(21)), undefined, ['21 characters per second (at most 20)']],
])('%s', (_, one, nextMs, problems) => {
  expect(problemsOf(one, nextMs)).toEqual(problems)
})

it('compares two documents', () => {
  const same = cue(0, 1_000, 'same')
  const [mine, theirs] = [cue(2_000, 3_000, 'mine', 2), cue(2_000, 3_000, 'theirs', 9)]
  const [added, removed] = [cue(5_000, 6_000, 'added'), cue(4_000, 5_000, 'removed')]
  expect(differences([same, mine, added], [same, theirs, removed])).toEqual([
    { startMs: 2_000, mine, theirs },
    { startMs: 4_000, theirs: removed },
    { startMs: 5_000, mine: added },
  ])
  expect(differences([same], [{ ...same, id: 7 }])).toEqual([])
})

import { expect, it } from 'vitest'
import { growthOf } from '../../../../../../../server/testing/work-of.ts'
import type { Cue } from './cue-document.ts'

const HERE: Record<string, string> = {
  ...{ split: 'edits', merge: 'edits', replace: 'edits', setText: 'edits', setTime: 'edits', findAll: 'edits' },
  ...{ parseVtt: 'cue-document', toVtt: 'cue-document', textOf: 'cue-document', vttOf: 'cue-document' },
  ...{ differences: 'differences', problemsOf: 'problems' },
}
const cue = (text: string, id = 1, startMs = 0): Cue => ({ id, startMs, endMs: startMs + 9_000, settings: '', text, vtt: text })
const cues = (count: number, text = 'a') => Array.from({ length: count }, (_, at) => cue(text, at + 1, at * 10_000))
const atEnd = (text: string) => [[cue(text)], 1, { caret: text.length - 1, playheadMs: 0 }]
const atPlayhead = (text: string) => [[cue(text)], 1, { caret: undefined, playheadMs: 4_500 }]
const places = (count: number) => Array.from({ length: count }, (_, at) => ({ id: 1, from: at, to: at + 1 }))
const vtt = (count: number) => `WEBVTT\n\n${'00:00:01.000 --> 00:00:02.000\nHello\n\n'.repeat(count)}`

it.each<[name: string, what: string, inputOf: (size: number) => unknown[]]>([
  ['split', 'tags that others close', (size) => atEnd(`${'<i>'.repeat(size)}${'</b>'.repeat(size)}one two`)],
  ['split', 'tags that are never closed', (size) => atEnd(`${'<i><b>'.repeat(size)}one two`)],
  ['split', 'tags that are all closed', (size) => atEnd(`${'<i>'.repeat(size)}${'</i>'.repeat(size)}one two`)],
  ['split', 'tags of many names', (size) => atEnd(`${places(size).map(({ from }) => `<c.n${from}>`)}one two`)],
  ['split', 'blanks between tags', (size) => atPlayhead(`one two${' <i>'.repeat(size)}`)],
  ['split', 'blanks within tags', (size) => atPlayhead(`one <v${' a'.repeat(size)}>two`)],
  ['split', 'words', (size) => atPlayhead('one '.repeat(size))],
  ['merge', 'lines', (size) => [[cue('a\n'.repeat(size)), cue('b\n'.repeat(size), 2)], 1]],
  ['replace', 'places', (size) => [[cue('a'.repeat(size))], places(size), 'b']],
  ['replace', 'captions', (size) => [cues(size), cues(size).map(({ id }) => ({ id, from: 0, to: 1 })), 'b']],
  ['setText', 'captions', (size) => [cues(size), size, 'b']],
  ['setText', 'tags', (size) => [cues(2), 1, '<i>&<'.repeat(size)]],
  ['setTime', 'captions', (size) => [cues(size), size, 'start', 0]],
  ['findAll', 'places', (size) => [cues(2, 'a<i>'.repeat(size)), 'a', false]],
  ['parseVtt', 'captions', (size) => [vtt(size)]],
  ['toVtt', 'captions', (size) => [cues(size)]],
  ['textOf', 'entities', (size) => ['&amp;lt;&lt;i&gt;'.repeat(size)]],
  ['vttOf', 'tags without an end', (size) => ['<v '.repeat(size)]],
  ['differences', 'captions that all differ', (size) => [cues(size), cues(size, 'b')]],
  ['differences', 'captions that begin together', (size) => [cues(size).map(atOnce), cues(size, 'b').map(atOnce)]],
  ['problemsOf', 'lines', (size) => [cue('a\n'.repeat(size)), 9_000]],
])('%s does work in proportion to %s', async (name, _, inputOf) => {
  expect(await growthOf(new URL(`./${HERE[name]}.ts`, import.meta.url), name, inputOf, 100)).toBeLessThan(15)
})

const atOnce = (one: Cue) => ({ ...one, startMs: 0 })

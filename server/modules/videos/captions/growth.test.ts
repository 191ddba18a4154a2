import { expect, it } from 'vitest'
import { growthOf } from '../../../testing/work-of.ts'

const HERE: Record<string, string> = {
  ...{ toWebVtt: './captions-text.ts', assToSrt: './captions-text.ts', spokenCues: './spoken-cues.ts' },
  ...{ readVttFile: '../../../platform/speech/cue-files.ts', toSrtFile: '../../../platform/speech/cue-files.ts' },
  ...{ joinChunks: '../../../platform/speech/chunks.ts', planChunks: '../../../platform/speech/chunks.ts' },
  ...{ cuesOf: '../../../platform/speech/cues.ts' },
}
const AT = '00:00:01.000 --> 00:00:02.000'
const words = (count: number, fromSec = 0) =>
  Array.from({ length: count }, (_, at) => ({ text: 'so,', fromSec: fromSec + at * 0.4, toSec: fromSec + at * 0.4 + 0.4 }))
const chunks = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ fromSec: at * 10, toSec: at * 10 + 14, words: words(35, at * 10) }))
const dialogue = 'Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,'

it.each<[name: string, what: string, inputOf: (size: number) => unknown[]]>([
  ['toWebVtt', 'captions', (size) => [`${AT}\nHello\n\n`.repeat(size)]],
  ['toWebVtt', 'captions in the reverse order', (size) => [Array.from({ length: size }, (_, at) => `${at % 7}${AT}\na\n`).join('\n')]],
  ['toWebVtt', 'lines of a caption', (size) => [`${AT}\n${'a\n'.repeat(size)}`]],
  ['toWebVtt', 'empty lines of a caption', (size) => [`1\n${AT}\na${'\n'.repeat(size)}`]],
  ['toWebVtt', 'settings', (size) => [`${AT}${' line:1'.repeat(size)}\na`]],
  ['toWebVtt', 'override codes', (size) => [`${AT}\n${'{\\b1}{\\i0}x{\\r\\p0}'.repeat(size)}`]],
  ['toWebVtt', 'tags', (size) => [`${AT}\n${'<i></b>&<'.repeat(size)}`]],
  ['assToSrt', 'dialogue', (size) => [`[Events]\n${Array.from({ length: size }, (_, at) => `${dialogue}{\\b1}a${at}`).join('\n')}`]],
  ['assToSrt', 'commas', (size) => [`[Events]\n${dialogue}${','.repeat(size)}`]],
  ['readVttFile', 'captions', (size) => [`WEBVTT\n\n${`${AT}\n<i>Hello</i> &amp;\n\n`.repeat(size)}`]],
  ['toSrtFile', 'captions', (size) => [words(size).map((word) => ({ ...word, lines: ['a', 'b'] }))]],
  ['spokenCues', 'characters', (size) => [{ vtt: `WEBVTT\n\n${AT}\n${'天気'.repeat(size)}\n`, language: 'ja' }]],
  ['joinChunks', 'chunks that overlap', (size) => [chunks(size)]],
  ['planChunks', 'spans of speech', (size) => [words(size), 10]],
  ['cuesOf', 'words without a pause', (size) => [words(size)]],
])('%s does work in proportion to %s', async (name, _, inputOf) => {
  expect(await growthOf(new URL(HERE[name] ?? '', import.meta.url), name, inputOf, 100)).toBeLessThan(15)
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProgramFailed, run } from '../ffmpeg/ffmpeg.ts'
import { plausibleWords } from './chunks.ts'
import { type Heard, type SpeechEngine, SpeechError } from './engine.ts'
import { SAMPLE_RATE, toWav } from './pcm.ts'
import { LevelMeter, speechSpans } from './speech-spans.ts'
import type { Word } from './words.ts'

/** Where Debian's pocketsphinx-en-us has its model. */
const MODEL = '/usr/share/pocketsphinx/model/en-us'

/**
 * Runs Debian's pocketsphinx, confined and at low priority. English only, without punctuation; about half of the words are wrong in speech
 * that was not dictated, so it is for tests and for finding videos by a word.
 */
export const pocketsphinxEngine = (): SpeechEngine => ({ name: 'pocketsphinx', chunkSec: 60, languages: ['en'], transcribe })

async function transcribe(pcm: Float32Array, { language, signal }: { language?: string | undefined; signal: AbortSignal }): Promise<Heard> {
  if (language && language !== 'en') throw new SpeechError('refused', `PocketSphinx knows English only, not the language ${language}.`)
  const folder = await mkdtemp(/* turbopackIgnore: true */ join(tmpdir(), 'reelgate-speech-'))
  try {
    const file = join(/* turbopackIgnore: true */ folder, 'chunk.wav')
    await writeFile(/* turbopackIgnore: true */ file, toWav(pcm), { signal })
    const lines: string[] = []
    const model = ['-hmm', `${MODEL}/en-us`, '-lm', `${MODEL}/en-us.lm.bin`, '-dict', `${MODEL}/cmudict-en-us.dict`]
    await run('pocketsphinx_continuous', 'pocketsphinx', [...model, '-infile', file, '-time', 'yes', '-logfn', '/dev/null'], {
      signal,
      onLine: (line) => lines.push(line),
      background: 'last',
      only: { reads: [file], writes: [] },
    })
    const words = plausibleWords(wordsOfLines(lines), pcm.length / SAMPLE_RATE)
    return { language: 'en', words: words.length < LEAST_WORDS_A_SEC * speechSec(pcm) ? [] : words }
  } catch (error) {
    signal.throwIfAborted()
    throw failure(error)
  } finally {
    await rm(/* turbopackIgnore: true */ folder, { recursive: true, force: true })
  }
}

/** It hears a word here and there in music. People say two or three a second. */
const LEAST_WORDS_A_SEC = 0.5

function speechSec(pcm: Float32Array): number {
  const meter = new LevelMeter()
  meter.add(pcm)
  return speechSpans(meter.result()).reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0)
}

const NOT_INSTALLED = 'The engine pocketsphinx needs the Debian packages pocketsphinx and pocketsphinx-en-us, which are not installed.'

function failure(error: unknown): unknown {
  if (error instanceof SpeechError) return error
  const { message, code } = error as NodeJS.ErrnoException
  // A sandbox's shell reports a missing program; without one, Node does.
  if (code === 'ENOENT' || / cannot be run: /.test(message)) return new SpeechError('misconfigured', NOT_INSTALLED, { cause: error })
  if (!(error instanceof ProgramFailed)) return error
  if (/Failed to (open|read)|does not exist/i.test(error.output)) return new SpeechError('misconfigured', NOT_INSTALLED, { cause: error })
  return new SpeechError('unavailable', error.message, { cause: error })
}

/** A word, with its variant of pronunciation, and its times and confidence. */
const WORD = /^([a-z][a-z'.-]*)(?:\(\d+\))? (\d+\.\d+) (\d+\.\d+) \d+\.\d+/

/** Returns the words that pocketsphinx prints, each on a line with its times. It prints fillers such as `<sil>` and `[NOISE]` as well. */
export function wordsOfLines(lines: readonly string[]): Word[] {
  return lines.flatMap((line) => {
    const [, text, from, to] = WORD.exec(line) ?? []
    return text ? [{ text, fromSec: Number(from), toSec: Number(to) }] : []
  })
}

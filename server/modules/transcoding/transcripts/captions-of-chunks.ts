import { joinChunks } from '../../../platform/speech/chunks.ts'
import { toVttFile } from '../../../platform/speech/cue-files.ts'
import { cuesOf } from '../../../platform/speech/cues.ts'
import type { Span, Word } from '../../../platform/speech/words.ts'

interface Given {
  chunks: readonly (Span & { words: readonly Word[] })[]
  /** Of the audio. */
  durationSec: number
}

/** Makes captions of the words of all chunks of a track. Runs in a thread: ten hours of speech take seconds. */
export function captionsOfChunks({ chunks, durationSec }: Given): { words: Word[]; vtt: string } {
  const words = joinChunks(chunks)
  return { words, vtt: toVttFile(cuesOf(words, durationSec)) }
}

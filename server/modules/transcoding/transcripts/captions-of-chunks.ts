import { joinChunks, trackLanguage } from '../../../platform/speech/chunks.ts'
import { toVttFile } from '../../../platform/speech/cue-files.ts'
import { cuesOf } from '../../../platform/speech/cues.ts'
import { type StoredWord, storedWords, wordsOf } from './stored-words.ts'

interface Given {
  /** `words`: JSON of the words that were heard. */
  chunks: readonly { fromSec: number; toSec: number; language: string | null; words: string }[]
  /** Of the audio. */
  durationSec: number
}

/**
 * Makes captions of the words of all chunks of a track. Also returns the JSON of the words, and the language that was spoken longest. Runs
 * in a thread: ten hours of speech take seconds.
 */
export function captionsOfChunks({ chunks, durationSec }: Given): { words: string; vtt: string; language: string | null } {
  const heard = chunks.map((chunk) => ({ ...chunk, words: wordsOf(JSON.parse(chunk.words) as StoredWord[]) }))
  const language = trackLanguage(heard)
  const words = joinChunks(heard)
  return { words: JSON.stringify(storedWords(words)), vtt: toVttFile(cuesOf(words, durationSec)), language }
}

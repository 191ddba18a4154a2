import { readVttFile } from '../../../platform/speech/cue-files.ts'
import { joinedLines } from '../../../platform/speech/words.ts'
import { separatesWords, spokenPairs, spokenWords } from './spoken-pairs.ts'

/** Characters of a cue that can be searched and shown as a place: of a caption that fills the screen. PostgreSQL refuses a megabyte of words. */
const MOST_CHARACTERS = 2_000

/** Columns of `caption_cue`, a value for each cue. */
export interface SpokenCues {
  fromSec: number[]
  toSec: number[]
  text: string[]
  words: string[]
  /** JSON of the pairs of a cue's characters. Null if the language separates words. */
  pairs: (string | null)[]
}

/** Returns the cues of stored captions as they are searched. Runs in a thread. */
export function spokenCues({ vtt, language }: { vtt: string; language: string }): SpokenCues {
  const cues: SpokenCues = { fromSec: [], toSec: [], text: [], words: [], pairs: [] }
  for (const { fromSec, toSec, lines } of readVttFile(vtt)) {
    const text = joinedLines(lines).slice(0, MOST_CHARACTERS).toWellFormed()
    cues.fromSec.push(fromSec)
    cues.toSec.push(toSec)
    cues.text.push(text)
    cues.words.push(spokenWords(text))
    cues.pairs.push(separatesWords(language) ? null : JSON.stringify(spokenPairs(text)))
  }
  return cues
}

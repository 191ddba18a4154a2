import { columnsOf, graphemes, LINE_COLUMNS } from './cue-rules.ts'
import type { Word } from './words.ts'

const ENDS_SENTENCE = /[.!?…。！？؟۔।]["'”’»)\]」』]*$/u
const ENDS_CLAUSE = /[,;:–—،؛、，；：]["'”’»)\]」』]*$/u
/** No line or cue begins with these, or ends with the others. */
const CLOSES = /^[\p{Pe}\p{Pf}.,!?…:;%。、，．！？：；ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ،؛؟]/u
const OPENS = /[\p{Ps}\p{Pi}¿¡]$/u

/** Returns how well a line or cue ends after a word: 0 after a sentence, up to 4 where a break would be wrong. */
export function breakCost(before: string, after: string): number {
  if (CLOSES.test(after) || OPENS.test(before)) return 4
  if (ENDS_SENTENCE.test(before)) return 0
  return ENDS_CLAUSE.test(before) ? 0.4 : 1.5
}

/** Returns words of which none is longer than a line: a longer one becomes parts that share its time by their length. */
export function shortWords(words: readonly Word[]): Word[] {
  return words.flatMap((word) => (columnsOf(word.text) <= LINE_COLUMNS ? [word] : partsOf(word)))
}

function partsOf(word: Word): Word[] {
  const texts: string[] = []
  let part = ''
  for (const { segment } of graphemes.segment(word.text)) {
    if (columnsOf(part + segment) > LINE_COLUMNS) {
      texts.push(part)
      part = ''
    }
    part += segment
  }
  return spreadWords([...texts, part], word)
}

/** Divides a time among words by their length. */
export function spreadWords(texts: readonly string[], { fromSec, toSec }: Pick<Word, 'fromSec' | 'toSec'>): Word[] {
  const total = texts.reduce((sum, text) => sum + columnsOf(text), 0) || 1
  let before = 0
  return texts.map((text) => {
    const start = fromSec + ((toSec - fromSec) * before) / total
    before += columnsOf(text)
    return { text, fromSec: start, toSec: fromSec + ((toSec - fromSec) * before) / total }
  })
}

import type { Word } from './words.ts'

/** Columns of a line. A wide character, such as a Chinese one, takes two. */
export const LINE_COLUMNS = 42

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** What can join other characters: letters of flags, marks, format characters, modifiers and the parts of Korean syllables. */
const JOINS = /[\p{RI}\p{M}\p{Cf}\p{Sk}\u1100-\u11ff]/u

/** Returns the columns that a text takes on the screen. */
export function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let columns = 0
  // The segmenter takes as long as everything else together.
  const characters = JOINS.test(text) ? Array.from(graphemes.segment(text), ({ segment }) => segment) : text
  for (const character of characters) columns += WIDE.test(character) ? 2 : 1
  return columns
}

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

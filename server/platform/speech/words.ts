/** A word as it was heard, with the punctuation that belongs to it and no blanks around it. Times in seconds. */
export interface Word {
  text: string
  fromSec: number
  toSec: number
}

/** A span of time, in seconds. */
export interface Span {
  fromSec: number
  toSec: number
}

/** Scripts that write no blanks between words, and their punctuation. Korean has blanks. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\u30fc\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/u

const isUnspaced = (character = '') => UNSPACED.test(character)

/** Returns whether a blank separates two texts that follow each other. */
export const isSpaced = (before: string, after: string): boolean =>
  !isUnspaced([...before.slice(-2)].at(-1)) && !isUnspaced([...after.slice(0, 2)][0])

/** Returns words as text: with blanks between them, except in scripts that write none. */
export function textOf(words: readonly Pick<Word, 'text'>[]): string {
  let text = ''
  // Kept apart: to read the end of a text that grows, JavaScript copies the whole text each time.
  let end = ''
  for (const word of words) {
    const added = text !== '' && isSpaced(end, word.text) ? ` ${word.text}` : word.text
    text += added
    end = (end + added).slice(-2)
  }
  return text
}

/** Returns the lines of a caption as one. */
export const joinedLines = (lines: readonly string[]): string => textOf(lines.map((text) => ({ text })))

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Divides a text into words, with the punctuation that belongs to each. Also where no blanks separate them. */
export function splitWords(text: string): string[] {
  return text
    .split(/\s+/)
    .filter(Boolean)
    .flatMap((part) => (UNSPACED.test(part) ? unspacedWords(part) : [part]))
}

function unspacedWords(text: string): string[] {
  const words: string[] = []
  let opening = ''
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const last = words.length - 1
    if (!isWordLike && /^[\p{Ps}\p{Pi}¿¡]/u.test(segment)) opening += segment
    else if (isWordLike || last < 0) {
      words.push(opening + segment)
      opening = ''
    } else words[last] += segment
  }
  if (opening !== '') words.push(opening)
  return words
}

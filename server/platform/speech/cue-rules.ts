/** A caption: one or two lines, and when it is shown, in seconds. Those made of speech begin and end at multiples of 0.05 s. */
export interface Cue {
  fromSec: number
  toSec: number
  lines: string[]
}

/** Lines of a cue, and columns of a line. A wide character, such as a Chinese one, takes two columns. */
export const CUE_LINES = 2
export const LINE_COLUMNS = 42
/** How long a cue is shown, in seconds. */
export const SHORTEST_SEC = 1
export const LONGEST_SEC = 7
/** How fast a cue can be read. */
export const COLUMNS_PER_SEC = 20

export const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
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

/** A caption as the transcript shows it. */
export interface Line {
  startSec: number
  text: string
}

/** Where a searched text is in a line: the index of the line, and of its characters from `from` up to `to`. */
export interface Match {
  line: number
  from: number
  to: number
}

/** A line is the current one this long before it begins: the events of a video are a quarter of a second apart. */
const EARLY_SEC = 0.1
/** The end of a line between characters of Chinese or Japanese, which have no spaces. */
const UNSPACED_END = /(?<=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])\n(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])/gu
/** Accents, and the marks of Hebrew and Arabic vowels. */
const MARKS = /[\u0300-\u036F\u0591-\u05C7\u064B-\u065F\u0670]/g

/** Returns a caption's lines as one. */
export function joinLines(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  // The pattern looks at every character, and a file has up to 60,000 captions.
  const joined = lines.length > 1 ? lines.join('\n').replace(UNSPACED_END, '') : (lines[0] ?? '')
  return joined.replace(/\s+/g, ' ')
}

/** Returns the index of the line that is spoken at a time, or was spoken last; -1 before the first. */
export const lineAt = (lines: readonly Line[], seconds: number): number =>
  lines.findLastIndex(({ startSec }) => startSec <= seconds + EARLY_SEC)

/** Returns a text without letter case and accents, and for each of its characters the index of its origin. */
function fold(text: string): { folded: string; origins: number[] } {
  let folded = ''
  const origins: number[] = []
  let at = 0
  for (const character of text) {
    const bare = character < '\u0080' ? character : character.normalize('NFD').replace(MARKS, '').normalize('NFC')
    const lower = bare.toLowerCase()
    folded += lower
    for (let unit = 0; unit < lower.length; unit++) origins.push(at)
    at += character.length
  }
  origins.push(at)
  return { folded, origins }
}

const folds = new WeakMap<Line, ReturnType<typeof fold>>()

function foldOnce(line: Line): ReturnType<typeof fold> {
  const known = folds.get(line) ?? fold(line.text)
  folds.set(line, known)
  return known
}

/** Returns every place of a text in the lines, in their order, whatever its letter case and accents. None for an empty text. */
export function findIn(lines: readonly Line[], asked: string): Match[] {
  const wanted = fold(joinLines(asked)).folded
  if (wanted === '') return []
  return lines.flatMap((one, line) => {
    const { folded, origins } = foldOnce(one)
    const matches: Match[] = []
    for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + wanted.length))
      matches.push({ line, from: origins[at] as number, to: origins[at + wanted.length] as number })
    return matches
  })
}

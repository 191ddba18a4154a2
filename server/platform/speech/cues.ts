import { COLUMNS_PER_SEC, type Cue, columnsOf, LINE_COLUMNS, LONGEST_SEC, SHORTEST_SEC } from './cue-rules.ts'
import { breakCost, shortWords } from './cue-text.ts'
import { isSpaced, textOf, type Word } from './words.ts'

/** A silence of this length between two words, in seconds, always ends a cue. */
export const PAUSE_SEC = 0.7

/** Times of cues are multiples of 1/20 s. */
const TICKS = 20
/** How much worse a cue is that is shorter or has to be read faster than it should, by its missing share of the time. */
const HURRY = 6
/** What each cue costs: with cheaper breaks, every clause would be a cue. */
const CUE = 1.2
/** What a sentence that ends within a cue costs. */
const INNER_SENTENCE = 0.3

/**
 * Makes captions of words, which are in order and do not overlap: at most two lines of 42 columns, 1 to 7 s, at most 20 columns a second,
 * never across a pause of the speaker, and cut where sentences and clauses end. Where speech is faster, a cue lasts until the next one. No
 * cue overlaps another or lasts longer than `durationSec`.
 */
export function cuesOf(words: readonly Word[], durationSec = Number.POSITIVE_INFINITY): Cue[] {
  const all = shortWords(words)
  const groups: Word[][] = []
  for (let from = 0; from < all.length; ) {
    let to = from + 1
    while (to < all.length && startOf(all, to) - endOf(all, to - 1) < PAUSE_SEC) to += 1
    groups.push(...divide(all.slice(from, to), startOf(all, to)))
    from = to
  }
  return timed(groups, durationSec)
}

const startOf = (words: readonly Word[], at: number) => words[at]?.fromSec ?? Number.POSITIVE_INFINITY
const endOf = (words: readonly Word[], at: number) => words[at]?.toSec ?? 0

/** Divides what was said without a pause into cues, at the least total cost. `nextSec`: when the words after them begin. */
function divide(words: readonly Word[], nextSec: number): Word[][] {
  const columns = words.map(({ text }) => columnsOf(text))
  const breaks = words.map(({ text }, at) => (at + 1 < words.length ? breakCost(text, words[at + 1]?.text ?? '') : 0))
  const lineEnds = endsOfLines(words, columns)
  // best[at]: the cheapest division of the words from `at` on, and where its first cue ends.
  const best: { cost: number; to: number }[] = []
  best[words.length] = { cost: 0, to: words.length }
  for (let from = words.length - 1; from >= 0; from--) {
    let found = { cost: Number.POSITIVE_INFINITY, to: from + 1 }
    let [width, inner] = [0, 0]
    for (let to = from + 1; to <= lastOfCue(lineEnds, from); to++) {
      if (to > from + 1 && endOf(words, to - 1) - startOf(words, from) > LONGEST_SEC) break
      width += (columns[to - 1] ?? 0) + (to > from + 1 ? blankBefore(words, to - 1) : 0)
      const availableSec = Math.min(LONGEST_SEC, (to < words.length ? startOf(words, to) : nextSec) - startOf(words, from))
      const missing = Math.max(0, 1 - availableSec / Math.max(SHORTEST_SEC, width / COLUMNS_PER_SEC))
      const cost = CUE + inner + (breaks[to - 1] ?? 0) + HURRY * missing + (best[to]?.cost ?? 0)
      if (cost < found.cost) found = { cost, to }
      if (breaks[to - 1] === 0) inner += INNER_SENTENCE
    }
    best[from] = found
  }
  const cues: Word[][] = []
  for (let from = 0; from < words.length; from = best[from]?.to ?? words.length) cues.push(words.slice(from, best[from]?.to))
  return cues
}

/** Returns for each word where a line that begins with it must end: the position after its last word. */
function endsOfLines(words: readonly Word[], columns: readonly number[]): number[] {
  return words.map((_, from) => {
    let [to, width] = [from + 1, columns[from] ?? 0]
    while (to < words.length && width + blankBefore(words, to) + (columns[to] ?? 0) <= LINE_COLUMNS) {
      width += blankBefore(words, to) + (columns[to] ?? 0)
      to += 1
    }
    return to
  })
}

const blankBefore = (words: readonly Word[], at: number) => (isSpaced(words[at - 1]?.text ?? '', words[at]?.text ?? '') ? 1 : 0)

/** Returns the position after the last word that fits into a cue of two lines. */
function lastOfCue(lineEnds: readonly number[], from: number): number {
  const first = lineEnds[from] ?? from + 1
  return lineEnds[first] ?? first
}

/** Gives groups of words their times and lines. */
function timed(groups: readonly Word[][], durationSec: number): Cue[] {
  let earliest = 0
  const starts = groups.map((words) => {
    const start = Math.max(earliest, Math.floor(startOf(words, 0) * TICKS))
    earliest = start + 1
    return start
  })
  return groups.map((words, at) => {
    const [start = 0, next = Number.POSITIVE_INFINITY] = [starts[at], starts[at + 1]]
    const lines = linesOf(words)
    const readSec = Math.max(SHORTEST_SEC, lines.reduce((sum, line) => sum + columnsOf(line), 0) / COLUMNS_PER_SEC)
    const wanted = Math.max(Math.ceil(endOf(words, words.length - 1) * TICKS), start + Math.ceil(readSec * TICKS))
    const limit = Math.min(next, start + LONGEST_SEC * TICKS, Math.floor(durationSec * TICKS))
    return { fromSec: start / TICKS, toSec: Math.max(start + 1, Math.min(wanted, limit)) / TICKS, lines }
  })
}

/** Returns the text of a cue in one line, or in two lines of similar length that are cut at the best place. */
function linesOf(words: readonly Word[]): string[] {
  const whole = textOf(words)
  if (columnsOf(whole) <= LINE_COLUMNS) return [whole]
  let best = { cost: Number.POSITIVE_INFINITY, lines: [whole] }
  for (let cut = 1; cut < words.length; cut++) {
    const lines = [textOf(words.slice(0, cut)), textOf(words.slice(cut))]
    const [first = 0, second = 0] = lines.map(columnsOf)
    if (first > LINE_COLUMNS || second > LINE_COLUMNS) continue
    const cost = breakCost(words[cut - 1]?.text ?? '', words[cut]?.text ?? '') + (4 * Math.abs(first - second)) / LINE_COLUMNS
    if (cost < best.cost) best = { cost, lines }
  }
  return best.lines
}

/** An input for which a pattern takes disproportionately long. */
export interface Growth {
  /** The repeated text, and the text before and after it. */
  attack: { before: string; pump: string; after: string }
  /** Exponent by which time grows with length: 1 is linear, 2 quadratic. */
  exponent: number
}

/** One of each class that patterns distinguish. */
const CHARACTERS = [...'a0A_-. /\\:;,=%+@#<>"\'([{&?*~$|!^', '\t', '\n', '\r', '\0', '＝', 'é', '\u200b']

/**
 * Returns texts that the pattern matches literally, which an attack needs to get past its start. The longest ones, since single characters
 * are always tried.
 */
function fragments({ source }: RegExp): string[] {
  const plain = source
    .replace(/\\[bBdDwWsS]|\\[pP]\{[^}]*\}|\(\?[:=!<][=!]?|[\^$]/g, '\0')
    .replace(/\[(?:\\.|[^\]\\])*\]|\{[\d,]+\}|[()|*+?.]/g, '\0')
    .replace(/\\n/g, '\n')
    .replace(/\\(.)/g, '$1')
  const found = new Set(plain.split('\0').filter((part) => part.length > 1))
  return [...found].sort((a, b) => b.length - a.length).slice(0, MOST_WORDS)
}
const MOST_WORDS = 4

/** Yields inputs built from the pattern's own words and one character of each class, with ends that make it fail late. */
function* attacks(pattern: RegExp): Generator<Growth['attack']> {
  const words = fragments(pattern)
  const pumps = new Set([...CHARACTERS, ...words, ...words.flatMap((word) => CHARACTERS.map((one) => word + one))])
  for (const pump of pumps) {
    for (const after of ['', '\n!', '/']) yield { before: '', pump, after }
    for (const before of words) yield { before, pump, after: '\n!' }
  }
}

/** Longer than a linear pattern needs for the longest text. Decides only which inputs are measured carefully. */
const SUSPECT_MS = 0.5
/** Short ones first: exponential growth would never end with a long one. */
const LENGTHS = [16, 24, 32, 64, 256, 2_048]
const GROW = 16
const REPEAT = 5

const grown = ({ before, pump, after }: Growth['attack'], length: number) => before + pump.repeat(Math.ceil(length / pump.length)) + after

type Run = (text: string) => unknown

function once(run: Run, text: string): number {
  const began = performance.now()
  run(text)
  return performance.now() - began
}

/** Returns the shortest of several measurements, since a busy machine only adds time. */
const least = (run: Run, text: string) => Math.min(...Array.from({ length: REPEAT }, () => once(run, text)))

/**
 * Returns the first input for which time grows faster than length to the power of 1.5, from a sixteenth to the whole, measured in one run.
 */
export function superLinear(run: Run, inputs: Iterable<Growth['attack']>): Growth | undefined {
  for (const attack of inputs) {
    const length = LENGTHS.find((length) => isSuspect(run, grown(attack, length)))
    if (length === undefined) continue
    const exponent = Math.log(least(run, grown(attack, length)) / least(run, grown(attack, length / GROW))) / Math.log(GROW)
    if (exponent > 1.5) return { attack, exponent }
  }
  return undefined
}

const isSuspect = (run: Run, text: string) => once(run, text) > SUSPECT_MS && least(run, text) > SUSPECT_MS

/** Returns the same for a regular expression, with inputs generated for it. */
export function growsSuperLinearly(pattern: RegExp): Growth | undefined {
  // Without `g`, a search ends with its first match. With it, every position of the text is a start.
  const everywhere = new RegExp(pattern.source, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`)
  return superLinear((text) => text.replace(everywhere, ''), attacks(pattern))
}

import { type Heard, SpeechError } from './engine.ts'
import type { Span, Word } from './words.ts'

/** What two chunks share where speech has no pause to cut at, in seconds: more than the longest word takes. */
const OVERLAP_SEC = 4
/** A longer silence, in seconds, is left out of chunks. */
const LEFT_OUT_SEC = 30
/** How far apart two chunks may hear the same word, in seconds. */
const SAME_WORD_SEC = 0.6

/**
 * Divides the speech of a track (`speechSpans`) into chunks of at most `maxSec`, which is 10 or more. Cuts in the longest pause of a chunk's
 * last third. Speech without a pause is cut anyway, and the chunks then overlap. Nobody speaks between chunks.
 */
export function planChunks(spans: readonly Span[], maxSec: number): Span[] {
  const chunks: Span[] = []
  for (const part of parts(spans)) {
    let { fromSec } = part
    const pauses = pausesOf(part.spans)
    let next = 0
    const pauseAt = (at: number) => pauses[at]?.fromSec ?? Number.POSITIVE_INFINITY
    while (part.toSec - fromSec > maxSec) {
      while (pauseAt(next) < fromSec + (maxSec * 2) / 3) next += 1
      let end = next
      while (pauseAt(end) <= fromSec + maxSec) end += 1
      const pause = longest(pauses.slice(next, end))
      chunks.push({ fromSec, toSec: pause?.fromSec ?? fromSec + maxSec })
      fromSec = pause?.toSec ?? fromSec + maxSec - OVERLAP_SEC
    }
    chunks.push({ fromSec, toSec: part.toSec })
  }
  return chunks
}

/** Returns the parts of a track that long silences separate. */
function parts(spans: readonly Span[]): (Span & { spans: Span[] })[] {
  const found: (Span & { spans: Span[] })[] = []
  for (const span of spans) {
    const last = found.at(-1)
    if (last && span.fromSec - last.toSec <= LEFT_OUT_SEC) {
      last.spans.push(span)
      last.toSec = span.toSec
    } else found.push({ ...span, spans: [span] })
  }
  return found
}

const pausesOf = (spans: readonly Span[]): Span[] =>
  spans.slice(1).map(({ fromSec }, at) => ({ fromSec: spans[at]?.toSec ?? fromSec, toSec: fromSec }))

const lengthOf = ({ fromSec, toSec }: Span) => toSec - fromSec

/** Returns the longest of some pauses, the first of several. Undefined if there is none. */
const longest = (pauses: readonly Span[]): Span | undefined =>
  pauses.reduce<Span | undefined>((best, one) => (best && lengthOf(best) >= lengthOf(one) ? best : one), undefined)

/** A chunk and the words heard in it, with times of the track. */
export interface HeardChunk extends Span {
  words: readonly Word[]
}

/** Returns the words of consecutive chunks, each word of an overlap once. */
export function joinChunks(chunks: readonly HeardChunk[]): Word[] {
  const words: Word[] = []
  let endSec = 0
  for (const chunk of chunks) {
    const overlap = { fromSec: chunk.fromSec, toSec: endSec }
    if (overlap.toSec > overlap.fromSec) joinOverlap(words, chunk.words, overlap)
    else for (const word of chunk.words) words.push(word)
    endSec = chunk.toSec
  }
  return inOrder(words)
}

/** Adds the words of a chunk that overlaps the previous one. Both change over at a word that both heard, near the middle of the overlap. */
function joinOverlap(words: Word[], later: readonly Word[], { fromSec, toSec }: Span): void {
  const middleSec = (fromSec + toSec) / 2
  const start = words.findLastIndex((word) => word.toSec <= fromSec) + 1
  const isBefore = (word: Word) => middleOf(word) < middleSec
  const [same] = sameWords(
    words.slice(start),
    later.filter((word) => word.fromSec < toSec),
  ).sort((a, b) => Math.abs(middleOf(a.word) - middleSec) - Math.abs(middleOf(b.word) - middleSec))
  if (same) {
    words.length = start + same.earlier + 1
    words.push(...later.slice(same.later + 1))
    return
  }
  words.splice(start, words.length, ...words.slice(start).filter(isBefore))
  words.push(...later.filter((word) => !isBefore(word)))
}

const middleOf = ({ fromSec, toSec }: Span) => (fromSec + toSec) / 2
const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, '')

interface SameWord {
  word: Word
  /** Its positions in the two lists. */
  earlier: number
  later: number
}

/** Returns the words that two lists have in common, in order: of all such pairings the one with the most words and the closest times. */
function sameWords(earlier: readonly Word[], later: readonly Word[]): SameWord[] {
  // scores[i][j]: the best pairing of the words from i and j on.
  const scores = Array.from({ length: earlier.length + 1 }, () => new Float64Array(later.length + 1))
  const scoreAt = (i: number, j: number) => scores[i]?.[j] ?? 0
  const pairScore = (i: number, j: number): number => {
    const [a, b] = [earlier[i], later[j]]
    if (!a || !b || plain(a.text) === '' || plain(a.text) !== plain(b.text)) return 0
    const apart = Math.abs(middleOf(a) - middleOf(b)) / SAME_WORD_SEC
    return apart < 1 ? 2 - apart : 0
  }
  for (let i = earlier.length - 1; i >= 0; i--)
    for (let j = later.length - 1; j >= 0; j--) {
      const pair = pairScore(i, j)
      const row = scores[i]
      if (row) row[j] = Math.max(scoreAt(i + 1, j), scoreAt(i, j + 1), pair > 0 ? pair + scoreAt(i + 1, j + 1) : 0)
    }
  const found: SameWord[] = []
  for (let i = 0, j = 0; i < earlier.length && j < later.length; ) {
    const [pair, word] = [pairScore(i, j), earlier[i]]
    if (word && pair > 0 && scoreAt(i, j) === pair + scoreAt(i + 1, j + 1)) found.push({ word, earlier: i++, later: j++ })
    else if (scoreAt(i, j) === scoreAt(i + 1, j)) i++
    else j++
  }
  return found
}

/** Returns words whose times neither go back nor overlap. */
function inOrder(words: readonly Word[]): Word[] {
  const ordered: Word[] = []
  for (const { text, ...time } of words) {
    const last = ordered.at(-1)
    const fromSec = Math.max(time.fromSec, last?.fromSec ?? 0)
    if (last) last.toSec = Math.min(last.toSec, fromSec)
    ordered.push({ text, fromSec, toSec: Math.max(time.toSec, fromSec) })
  }
  return ordered
}

/** Seconds by which an engine may place a word beside its speech. */
const LOOSE_SEC = 0.4

/**
 * Returns words without those where nobody speaks, which engines make up, and with the others' times limited to speech: some engines let a
 * word last until the next one, or place it in the pause beside its speech. `spans` are in order, as `speechSpans` returns them.
 */
export function wordsInSpeech(words: readonly Word[], spans: readonly Span[]): Word[] {
  const kept: Word[] = []
  let first = 0
  for (const word of words) {
    while (first < spans.length && (spans[first]?.toSec ?? 0) <= word.fromSec) first += 1
    let best: Span | undefined
    for (let at = first; at < spans.length; at++) {
      const span = spans[at]
      if (!span || span.fromSec >= Math.max(word.toSec, word.fromSec + 0.01)) break
      const shared = { fromSec: Math.max(span.fromSec, word.fromSec), toSec: Math.min(span.toSec, word.toSec) }
      if (!best || lengthOf(shared) > lengthOf(best)) best = shared
    }
    best ??= nearest(spans, first, word)
    if (best) kept.push({ text: word.text, fromSec: best.fromSec, toSec: Math.max(best.fromSec, best.toSec) })
  }
  return kept
}

/** Returns the edge of the nearest speech to a word in a pause, as a span without a length; undefined if it is too far. */
function nearest(spans: readonly Span[], next: number, word: Word): Span | undefined {
  const before = spans[next - 1]?.toSec ?? Number.NEGATIVE_INFINITY
  const after = spans[next]?.fromSec ?? Number.POSITIVE_INFINITY
  const [edge, far] = word.fromSec - before <= after - word.toSec ? [before, word.fromSec - before] : [after, after - word.toSec]
  return far <= LOOSE_SEC ? { fromSec: edge, toSec: edge } : undefined
}

/** What a word adds to the time of its language, in seconds, besides its length, which some engines do not give. */
const WORD_SEC = 0.01

/**
 * Returns the language that was spoken for the longest time: words would count a script without blanks several times, and chunks differ in
 * length. Null if no engine named one.
 */
export function trackLanguage(chunks: readonly Heard[]): string | null {
  const spoken = new Map<string, number>()
  for (const { language, words } of chunks) {
    const sec = words.reduce((sum, word) => sum + lengthOf(word) + WORD_SEC, 0)
    if (language) spoken.set(language, (spoken.get(language) ?? 0) + sec)
  }
  const [most] = [...spoken].sort((a, b) => b[1] - a[1])
  return most?.[0] ?? null
}

/** Words may begin this much before or after a chunk, or before the previous word, in seconds; they are then clamped. */
const CLAMPED_SEC = 1
/** Share of words with impossible times from which a chunk is refused. */
const REFUSED_SHARE = 0.1

/**
 * Returns an engine's words in order and within a chunk of `durationSec`. Drops words without text, or with times that cannot be true.
 * Throws SpeechError `refused` if a tenth of the words have such times: those of the others cannot be trusted either.
 */
export function plausibleWords(words: readonly Word[], durationSec: number): Word[] {
  const trimmed = words.map((word) => ({ ...word, text: word.text.trim() })).filter(({ text }) => text !== '')
  const kept: Word[] = []
  let latestSec = -CLAMPED_SEC
  for (const { text, fromSec, toSec } of trimmed) {
    const isPossible =
      Number.isFinite(fromSec) &&
      Number.isFinite(toSec) &&
      fromSec >= latestSec - CLAMPED_SEC &&
      fromSec <= durationSec + CLAMPED_SEC &&
      toSec >= fromSec - CLAMPED_SEC
    if (!isPossible) continue
    latestSec = Math.max(latestSec, fromSec)
    const clamp = (sec: number) => Math.max(0, Math.min(durationSec, sec))
    kept.push({ text, fromSec: clamp(fromSec), toSec: clamp(Math.max(fromSec, toSec)) })
  }
  if (trimmed.length - kept.length > trimmed.length * REFUSED_SHARE)
    throw new SpeechError('refused', `The engine gave impossible times for ${trimmed.length - kept.length} of ${trimmed.length} words.`)
  return inOrder(kept)
}

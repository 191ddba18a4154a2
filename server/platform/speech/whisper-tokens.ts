import { isSpaced, type Word } from './words.ts'

interface Token {
  text: string
  /** Milliseconds. */
  t0: number
  t1: number
}

const BROKEN = '\ufffd'

/**
 * Makes words of whisper.cpp's tokens. `text` is the text of all of them: a token of a broken character contains U+FFFD, and gets its part
 * of the text from there. Omits descriptions of sounds, such as `[Music]`.
 */
export function wordsOfTokens(tokens: readonly Token[], text: string): Word[] {
  const words: Word[] = []
  for (const token of mended(tokens, text)) {
    const last = words.at(-1)
    const trimmed = token.text.trim()
    if (last && (trimmed === '' || continues(last.text, token.text))) {
      last.text += trimmed
      last.toSec = Math.max(last.toSec, token.t1 / 1_000)
    } else if (trimmed !== '') words.push({ text: trimmed, fromSec: token.t0 / 1_000, toSec: token.t1 / 1_000 })
  }
  return withoutSounds(words)
}

/** A token begins a word by its blank, or in a script without blanks, unless it is a mark. */
const continues = (before: string, token: string) =>
  !/^\s/.test(token) && (isSpaced(before, token) || /^[\p{P}\p{M}\u3001\u3002]/u.test(token))

/** Returns tokens with whole characters; those that share one become one. */
function mended(tokens: readonly Token[], text: string): Token[] {
  if (!tokens.some((token) => token.text.includes(BROKEN))) return [...tokens]
  const whole: Token[] = []
  let at = 0
  let broken: Token | undefined
  for (const token of tokens) {
    if (token.text.includes(BROKEN)) {
      broken = { text: '', t0: broken?.t0 ?? token.t0, t1: token.t1 }
      continue
    }
    const found = text.indexOf(token.text, at)
    const start = found < 0 ? at : found
    if (broken) whole.push({ ...broken, text: text.slice(at, start) })
    broken = undefined
    whole.push(token)
    at = start + (found < 0 ? 0 : token.text.length)
  }
  if (broken) whole.push({ ...broken, text: text.slice(at) })
  return whole
}

const OPENING = /^[[(（【]/u
const CLOSING = /[\])）】][.,!?]?$/u
const NOTE = /^[♪♫♬♩]+/u
/** Whisper hears parts of this length, in seconds; what closes later belongs to another part. */
const PART_SEC = 30

/** Returns words without descriptions of sounds in brackets, and without notes of music and what is sung between two. */
export function withoutSounds(words: readonly Word[]): Word[] {
  const kept: Word[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (!word) break
    const isNote = NOTE.test(word.text)
    const found = isNote
      ? words.findIndex(({ text }, position) => position > at && /[♪♫♬♩]$/u.test(text))
      : words.findIndex(({ text }, position) => position >= at && CLOSING.test(text))
    const end = (words[found]?.fromSec ?? 0) - word.fromSec <= PART_SEC ? found : -1
    if (isNote || (OPENING.test(word.text) && end >= 0)) at = Math.max(at, end)
    // A bracket that is not closed soon is speech.
    else kept.push(word)
  }
  return kept
}

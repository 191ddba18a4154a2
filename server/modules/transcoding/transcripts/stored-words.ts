import type { Word } from '../../../platform/speech/words.ts'

/** Words as they are stored: text, start and end in milliseconds. */
export type StoredWord = [text: string, fromMs: number, toMs: number]

export const storedWords = (words: readonly Word[]): StoredWord[] =>
  words.map(({ text, fromSec, toSec }) => [text, Math.round(fromSec * 1_000), Math.round(toSec * 1_000)])

export const wordsOf = (stored: readonly StoredWord[]): Word[] =>
  stored.map(([text, fromMs, toMs]) => ({ text, fromSec: fromMs / 1_000, toSec: toMs / 1_000 }))

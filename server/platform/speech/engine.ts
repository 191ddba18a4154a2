import type { SpeechEngineName } from './speech-schema.ts'
import type { Word } from './words.ts'

/** What an engine heard in one chunk. */
export interface Heard {
  /** ISO 639-1 code, such as `en`. Null if the engine names none. */
  language: string | null
  /** In order of time, without overlaps, between 0 and the length of the chunk. Empty where nobody speaks. */
  words: Word[]
}

/** Turns speech into words. */
export interface SpeechEngine {
  readonly name: SpeechEngineName
  /** Longest chunk to give it, in seconds. */
  readonly chunkSec: number
  /** Languages that it can understand, as two or three letters. It refuses others. Undefined: not known. */
  readonly languages?: readonly string[]
  /**
   * Returns the words of a chunk. `pcm`: 16,000 samples a second, mono, from -1 to 1. `language`: the spoken one as an ISO 639-1 code, if it
   * is known. Rejects with SpeechError, or with the signal's reason.
   */
  transcribe(pcm: Float32Array, options: { language?: string | undefined; signal: AbortSignal }): Promise<Heard>
}

/**
 * Why an engine returned no words. `unavailable`: it may work later. `misconfigured`: only the operator can change that, such as a missing
 * model or a wrong key. `refused`: this chunk never works. `message` is for the operator, and contains no secret.
 */
export class SpeechError extends Error {
  readonly kind: 'unavailable' | 'misconfigured' | 'refused'
  /** How long a server asks to wait, in seconds. */
  readonly retryAfterSec: number | undefined

  constructor(
    kind: SpeechError['kind'],
    message: string,
    { retryAfterSec, cause }: { retryAfterSec?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = 'SpeechError'
    this.kind = kind
    this.retryAfterSec = retryAfterSec
  }
}

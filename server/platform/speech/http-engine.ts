import { iso6392 } from 'iso-639-2'
import { type Dispatcher, FormData, request } from 'undici'
import { z } from 'zod'
import { env } from '../config/config.ts'
import { outboundUrlRefusal } from '../network/outbound-url-policy.ts'
import { parseRetryAfter } from '../network/retry-after.ts'
import { AddressRefusedError, ssrfSafeAgent } from '../network/ssrf-safe-agent.ts'
import { plausibleWords } from './chunks.ts'
import { spreadWords } from './cue-text.ts'
import { type Heard, type SpeechEngine, SpeechError } from './engine.ts'
import { SAMPLE_RATE, toWav } from './pcm.ts'
import { withoutSounds } from './whisper-tokens.ts'
import { splitWords, type Word } from './words.ts'

/** Time to connect, and to wait for the next byte of an answer. */
const CONNECT_MS = 20_000
/** Time that a server may take for a chunk: this, and four times the chunk's length. A server without a graphics card is that slow. */
const LEAST_ANSWER_MS = 60_000
const SLOWEST = 4
/** Largest answer. A chunk of 5 minutes takes about 200 KB. */
const MAX_ANSWER = 8 * 1024 ** 2

/** Sends chunks to SPEECH_URL, a server with OpenAI's `POST /audio/transcriptions`. `patienceMs`: time limit of one request. */
export function httpEngine({ patienceMs }: { patienceMs?: number } = {}): SpeechEngine {
  const agent = ssrfSafeAgent({ connections: 4, patienceMs: CONNECT_MS, allowed: 'SPEECH_ALLOWED_HOSTS' })
  return {
    name: 'http',
    chunkSec: 300,
    async transcribe(pcm, { language, signal }) {
      const durationSec = pcm.length / SAMPLE_RATE
      const limitMs = patienceMs ?? Math.ceil(LEAST_ANSWER_MS + SLOWEST * durationSec * 1_000)
      try {
        return wordsOf(await ask({ wav: toWav(pcm), language, agent, limitMs, signal }), durationSec, language)
      } catch (error) {
        signal.throwIfAborted()
        throw failureOf(error)
      }
    },
  }
}

interface Question {
  wav: Buffer
  language: string | undefined
  agent: Dispatcher
  limitMs: number
  signal: AbortSignal
}

/** Sends one request. Returns the answer's JSON. */
async function ask({ wav, language, agent, limitMs, signal }: Question): Promise<unknown> {
  const { SPEECH_URL = '', SPEECH_API_KEY, SPEECH_MODEL } = env()
  const url = new URL(`${SPEECH_URL}/audio/transcriptions`)
  const refusal = outboundUrlRefusal(url, 'SPEECH_ALLOWED_HOSTS')
  if (refusal) throw new SpeechError('misconfigured', `SPEECH_URL: ${refusal} ${ALLOW}`)
  const body = new FormData()
  body.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'chunk.wav')
  body.set('model', SPEECH_MODEL)
  body.set('response_format', 'verbose_json')
  body.append('timestamp_granularities[]', 'word')
  body.append('timestamp_granularities[]', 'segment')
  if (language) body.set('language', language)
  const tooLong = AbortSignal.timeout(limitMs)
  try {
    const response = await request(url, {
      method: 'POST',
      body,
      dispatcher: agent,
      signal: AbortSignal.any([signal, tooLong]),
      headersTimeout: limitMs,
      bodyTimeout: CONNECT_MS,
      ...(SPEECH_API_KEY && { headers: { Authorization: `Bearer ${SPEECH_API_KEY}` } }),
    })
    const text = await boundedText(response.body)
    if (response.statusCode >= 200 && response.statusCode <= 299) return jsonOf(text)
    throw refusalOf(response.statusCode, response.headers['retry-after'], text)
  } catch (error) {
    if (tooLong.aborted) throw new SpeechError('unavailable', `SPEECH_URL did not answer within ${Math.round(limitMs / 1_000)} s.`)
    throw error
  }
}

const ALLOW = 'If this server is in your network, add its host to SPEECH_ALLOWED_HOSTS.'

async function boundedText(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of body) {
    length += piece.length
    if (length > MAX_ANSWER) throw new SpeechError('refused', 'SPEECH_URL answered with more than 8 MB.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

const NO_VERBOSE_JSON = 'SPEECH_URL did not answer in the format verbose_json of OpenAI’s transcription API.'

/** Statuses that can pass. */
const PASSING = [408, 409, 425, 429]
/** The longest wait that a server can ask for, in seconds: captions would not come for years after a wrong date. */
const LONGEST_WAIT_SEC = 3_600
/** Statuses by which a server refuses the audio rather than the caller. */
const ABOUT_AUDIO = [400, 413, 415, 422]

function refusalOf(status: number, retryAfter: string | string[] | undefined, text: string): SpeechError {
  const answered = `SPEECH_URL answered with ${status}${saidIn(text)}`
  if (status >= 500 || PASSING.includes(status)) {
    const asked = parseRetryAfter(retryAfter)
    return new SpeechError('unavailable', answered, { retryAfterSec: asked && Math.min(asked, LONGEST_WAIT_SEC) })
  }
  return new SpeechError(ABOUT_AUDIO.includes(status) ? 'refused' : 'misconfigured', answered)
}

/** Returns what a server says about its refusal, without the key, which some repeat. */
function saidIn(text: string): string {
  const { SPEECH_API_KEY } = env()
  const { data } = z.object({ error: z.object({ message: z.string() }) }).safeParse(jsonOf(text))
  const said = (data?.error.message ?? '').replace(/\s+/g, ' ').trim()
  const safe = SPEECH_API_KEY ? said.replaceAll(SPEECH_API_KEY, '…') : said
  return safe === '' ? '.' : `: ${safe.slice(0, 300)}`
}

/** Returns what a text says in JSON. Undefined for another text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failureOf(error: unknown): SpeechError {
  if (error instanceof SpeechError) return error
  if (error instanceof AddressRefusedError || (error as Error).cause instanceof AddressRefusedError)
    return new SpeechError('misconfigured', `SPEECH_URL: ${(error as Error).message} ${ALLOW}`, { cause: error })
  const { message, code } = error as NodeJS.ErrnoException
  return new SpeechError('unavailable', `SPEECH_URL cannot be reached (${code ?? message}).`, { cause: error })
}

/** A text without what no caption and no database can hold: control characters, and halves of characters. */
const text = z.string().transform((given) => given.toWellFormed().replace(/(?!\s)\p{Cc}/gu, ''))
/** A word as a server gives it. WhisperX omits the times of words that it cannot align, such as numbers. */
const word = z.object({ word: text, start: z.number().nullish(), end: z.number().nullish() })
const answer = z.object({
  language: z.string().nullish(),
  text: text.nullish(),
  words: z.array(word).nullish(),
  segments: z.array(z.object({ text, start: z.number(), end: z.number(), words: z.array(word).nullish() })).nullish(),
})

function wordsOf(json: unknown, durationSec: number, language: string | undefined): Heard {
  const { data } = answer.safeParse(json)
  const words = data && saidWords(data)
  if (!words) throw new SpeechError('misconfigured', NO_VERBOSE_JSON)
  return { language: languageCode(data.language) ?? language ?? null, words: plausibleWords(words, durationSec) }
}

/** Returns the words that are speech. Undefined if the response has text without times. For silence, some servers omit the lists. */
function saidWords(data: z.infer<typeof answer>): Word[] | undefined {
  const timed = timedWords(data)
  if (timed.length > 0) return withoutSounds(timed)
  const untimed = spreadWords(splitWords(data.text ?? ''), { fromSec: 0, toSec: 0 })
  const isAnswer = data.words || data.segments || typeof data.text === 'string'
  return isAnswer && withoutSounds(untimed).length === 0 ? [] : undefined
}

/** Returns the words: the server's, or those of its segments, whose time is divided among them. */
function timedWords({ words, segments, text }: z.infer<typeof answer>): Word[] {
  const given = words?.length ? words : (segments ?? []).flatMap((segment) => segment.words ?? [])
  const timed = spanned(given)
  if (timed.length > 0) return punctuated(timed, text ?? (segments ?? []).map((segment) => segment.text).join(' '))
  return (segments ?? []).flatMap((segment) => spreadWords(splitWords(segment.text), { fromSec: segment.start, toSec: segment.end }))
}

/** Returns words with times. Words without them share the time between their neighbours. Empty if no word has times. */
function spanned(given: readonly z.infer<typeof word>[]): Word[] {
  const words: Word[] = []
  let untimed: string[] = []
  for (const { word: said, start, end } of given) {
    const texts = said.split(/\s+/).filter(Boolean)
    if (start == null || end == null) untimed.push(...texts)
    else {
      words.push(...spreadWords(untimed, { fromSec: Math.min(start, words.at(-1)?.toSec ?? start), toSec: start }))
      words.push(...spreadWords(texts, { fromSec: start, toSec: end }))
      untimed = []
    }
  }
  const endSec = words.at(-1)?.toSec
  return endSec === undefined ? [] : [...words, ...spreadWords(untimed, { fromSec: endSec, toSec: endSec })]
}

/** How far a word may be from the previous one in the text, in characters. */
const NEAR = 60
const OPENS = /[\p{Ps}\p{Pi}¿¡"']/u

/** Adds the punctuation of the text to words: OpenAI's have none. */
function punctuated(words: readonly Word[], text: string): Word[] {
  const lower = text.toLowerCase()
  let at = 0
  return words.map((one) => {
    const found = lower.indexOf(one.text.toLowerCase(), at)
    if (one.text === '' || lower.length !== text.length || found < 0 || found - at > NEAR) return one
    const end = found + one.text.length
    let start = found
    while (start > at && OPENS.test(text[start - 1] ?? '')) start -= 1
    const [after = ''] = /^(?!['’]\p{L})[^\s\p{L}\p{N}\p{Ps}\p{Pi}]*/u.exec(text.slice(end)) ?? []
    at = end + after.length
    return { ...one, text: text.slice(start, end) + after }
  })
}

/** Names of languages by which Whisper differs from the standard. The standard calls Nynorsk Norwegian as well. */
const OTHER_NAMES: Record<string, string> = {
  greek: 'el',
  'haitian creole': 'ht',
  hawaiian: 'haw',
  khmer: 'km',
  norwegian: 'no',
  occitan: 'oc',
  punjabi: 'pa',
  myanmar: 'my',
  cantonese: 'zh',
  mandarin: 'zh',
}

/** Codes that name no language: undetermined, several, uncoded, and none. */
const NO_LANGUAGE = ['und', 'mul', 'mis', 'zxx']
const knownLanguages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/** Returns the code of a language that a server names by its code or in English. */
function languageCode(named: string | null | undefined): string | undefined {
  const name = named?.trim().toLowerCase() ?? ''
  const [tag] = /^[a-z]{2,3}(?=[-_]|$)/.exec(name) ?? []
  // `eng` becomes `en`, and Whisper's `jw` becomes `jv`.
  const [code = ''] = tag ? Intl.getCanonicalLocales(tag) : []
  if (tag) return NO_LANGUAGE.includes(code) || !knownLanguages.of(code) ? undefined : code
  const names = (one: string) =>
    one
      .toLowerCase()
      .split(/[;,]/)
      .map((part) => part.trim())
  return OTHER_NAMES[name] ?? iso6392.find((one) => one.iso6391 && names(one.name).includes(name))?.iso6391
}

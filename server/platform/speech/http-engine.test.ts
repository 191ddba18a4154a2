import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { provide } from '../../testing/settings.ts'
import type { GivenSettings } from '../config/config.ts'
import { SpeechError } from './engine.ts'
import { httpEngine } from './http-engine.ts'
import { toWav } from './pcm.ts'

interface Received {
  url: string | undefined
  authorization: string | undefined
  body: Buffer
}
type Answer = (response: ServerResponse, request: IncomingMessage) => void

let server: Server
let origin: string
let received: Received[] = []
/** Answers of the next requests; the last one stays. */
let answers: Answer[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      received.push({ url: request.url, authorization: request.headers.authorization, body: Buffer.concat(pieces) })
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      answer?.(response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
afterEach(() => {
  received = []
})

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
const WORDS = {
  language: 'english',
  text: 'Ask not, “my” country.',
  words: [
    { word: 'Ask', start: 0.1, end: 0.4 },
    { word: 'not', start: 0.4, end: 0.7 },
    { word: 'my', start: 0.8, end: 1 },
    { word: 'country', start: 1, end: 1.6 },
  ],
}

const KEY = 'sk-secret-of-the-operator'
const PCM = new Float32Array(32_000).fill(0.25)

/** Asks for two seconds of audio. Returns what was heard or why not. */
async function ask(
  given: Answer[],
  { language, patienceMs, settings = {} }: { language?: string; patienceMs?: number; settings?: GivenSettings } = {},
) {
  answers = [...given]
  provide({
    BASE_URL: 'http://localhost',
    SPEECH_URL: `${origin}/v1`,
    SPEECH_API_KEY: KEY,
    SPEECH_ALLOWED_HOSTS: '127.0.0.1',
    SPEECH_MODEL: '',
    ...settings,
  })
  const engine = httpEngine(patienceMs ? { patienceMs } : {})
  try {
    return { heard: await engine.transcribe(PCM, { language, signal: new AbortController().signal }) }
  } catch (error) {
    if (!(error instanceof SpeechError)) throw error
    return { kind: error.kind, message: error.message, retryAfterSec: error.retryAfterSec }
  }
}

const heardTexts = ({ heard }: Awaited<ReturnType<typeof ask>>) => heard?.words.map(({ text }) => text)

describe('a request', () => {
  it('is OpenAI’s: a WAV file, the model, and the times of words', async () => {
    await ask([json(WORDS)], { language: 'en' })
    const [{ url, authorization, body } = { url: '', authorization: '', body: Buffer.alloc(0) }] = received
    expect([url, authorization]).toEqual(['/v1/audio/transcriptions', `Bearer ${KEY}`])
    const fields = [
      ...body.toString('latin1').matchAll(/name="([^"]+)"(?:; filename="([^"]+)")?\r\n(?:Content-Type: ([^\r]+)\r\n)?\r\n([^\r]*)/g),
    ]
    expect(fields.map(([, name, file, type, value]) => (file ? [name, file, type] : [name, value]))).toEqual([
      ['file', 'chunk.wav', 'audio/wav'],
      ['model', 'whisper-1'],
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['language', 'en'],
    ])
    expect(body.includes(toWav(PCM))).toBe(true)
  })

  it('names no language that nobody chose, and another model', async () => {
    await ask([json(WORDS)], { settings: { SPEECH_MODEL: 'Systran/faster-whisper-small', SPEECH_API_KEY: '' } })
    expect(received[0]?.authorization).toBeUndefined()
    expect(received[0]?.body.toString('latin1')).not.toContain('name="language"')
    expect(received[0]?.body.toString('latin1')).toContain('Systran/faster-whisper-small')
  })
})

describe('an answer', () => {
  it('with words gets the punctuation of its text', async () => {
    expect((await ask([json(WORDS)])).heard).toEqual({
      language: 'en',
      words: [
        { text: 'Ask', fromSec: 0.1, toSec: 0.4 },
        { text: 'not,', fromSec: 0.4, toSec: 0.7 },
        { text: '“my”', fromSec: 0.8, toSec: 1 },
        { text: 'country.', fromSec: 1, toSec: 1.6 },
      ],
    })
  })

  it.each([
    [
      'blanks and punctuation in its words',
      {
        words: [
          { word: ' Hello,', start: 0, end: 1 },
          { word: " it's", start: 1, end: 1.5 },
        ],
        text: "Hello, it's",
      },
    ],
    [
      'words in its segments',
      {
        segments: [
          {
            text: " Hello, it's",
            start: 0,
            end: 1,
            words: [
              { word: ' Hello,', start: 0, end: 1 },
              { word: " it's", start: 1, end: 1.5 },
            ],
          },
        ],
      },
    ],
    ['segments without words', { segments: [{ text: " Hello, it's", start: 0.5, end: 1.5 }], words: [] }],
  ])('with %s is understood', async (_, body) =>
    expect(heardTexts(await ask([json({ language: 'en', ...body })]))).toEqual(['Hello,', "it's"]),
  )

  it('with words without times gives them the time between their neighbours', async () => {
    const timed = { word: 'was', start: 1, end: 1.2 }
    const words = [
      { word: 'It' },
      timed,
      { word: '20' },
      { word: '%', start: null },
      { word: 'more', start: 1.5, end: 1.8 },
      { word: '2024' },
    ]
    expect((await ask([json({ language: 'en', words })])).heard?.words).toEqual([
      { text: 'It', fromSec: 1, toSec: 1 },
      { text: 'was', fromSec: 1, toSec: 1.2 },
      { text: '20', fromSec: 1.2, toSec: expect.closeTo(1.4) },
      { text: '%', fromSec: expect.closeTo(1.4), toSec: 1.5 },
      { text: 'more', fromSec: 1.5, toSec: 1.8 },
      { text: '2024', fromSec: 1.8, toSec: 1.8 },
    ])
  })

  it('without times of words uses the times of its segments', async () => {
    const segments = [{ text: ' Ask not', start: 0, end: 1.4, words: [{ word: 'Ask' }, { word: 'not' }] }]
    expect((await ask([json({ language: 'en', segments })])).heard?.words).toMatchObject([
      { text: 'Ask' },
      { text: 'not', toSec: expect.closeTo(1.4) },
    ])
  })

  it('with segments alone has their time divided among the words', async () => {
    const body = { language: 'zh', segments: [{ text: '今天，天气很好。', start: 0, end: 1.6 }] }
    const { heard } = await ask([json(body)])
    expect(heard?.words.map(({ text }) => text).join('')).toBe('今天，天气很好。')
    expect(heard?.words.length).toBeGreaterThan(1)
    expect(heard?.words[0]).toMatchObject({ fromSec: 0, toSec: expect.closeTo(0.6) })
  })

  it.each([
    ['english', 'en'],
    ['Chinese', 'zh'],
    ['spanish', 'es'],
    ['haitian creole', 'ht'],
    ['norwegian', 'no'],
    ['nynorsk', 'nn'],
    ['khmer', 'km'],
    ['occitan', 'oc'],
    ['hawaiian', 'haw'],
    ['javanese', 'jv'],
    ['de', 'de'],
    ['en_us', 'en'],
    ['eng', 'en'],
    ['haw', 'haw'],
    ['yue', 'yue'],
    ['jw', 'jv'],
    ['xx', 'nl'],
    ['unknown', 'nl'],
    ['pt-BR', 'pt'],
    ['klingon', 'nl'],
    [undefined, 'nl'],
  ])('in the language %s has the code %s', async (language, code) => {
    expect((await ask([json({ ...WORDS, language })], { language: 'nl' })).heard?.language).toBe(code)
  })

  it('without speech has no words', async () => {
    expect((await ask([json({ language: 'english', text: '', words: [], segments: [] })])).heard).toEqual({ language: 'en', words: [] })
    expect(heardTexts(await ask([json({ segments: [{ text: ' [Music]', start: 0, end: 2 }] })]))).toEqual([])
  })

  it.each([{ text: '', segments: null }, { text: ' ' }, { text: '[Music]', segments: [], words: null }])(
    'without speech may leave out its lists: %j',
    async (body) => expect(await ask([json({ language: 'english', ...body })])).toEqual({ heard: { language: 'en', words: [] } }),
  )

  it('with a text and empty lists is not taken for silence', async () => {
    expect(await ask([json({ text: 'Ask not', words: [], segments: [] })])).toMatchObject({ kind: 'misconfigured' })
  })

  it('with what no caption and no database can hold keeps the rest', async () => {
    const words = [
      { word: 'Ask\n\nnot', start: 0, end: 0.6 },
      { word: 'my\0', start: 0.8, end: 1 },
      { word: '\ud83d', start: 1, end: 1.1 },
      { word: 'coun\u0007try\ud83d', start: 1.1, end: 1.6 },
    ]
    expect((await ask([json({ language: 'en', words })])).heard?.words).toEqual([
      { text: 'Ask', fromSec: 0, toSec: 0.3 },
      { text: 'not', fromSec: 0.3, toSec: 0.6 },
      { text: 'my', fromSec: 0.8, toSec: 1 },
      { text: '\ufffd', fromSec: 1, toSec: 1.1 },
      { text: 'country\ufffd', fromSec: 1.1, toSec: 1.6 },
    ])
  })

  it('that lies about times is refused', async () => {
    const lies = { ...WORDS, words: WORDS.words.map((one, at) => ({ ...one, start: 3_000 - at, end: -5 })) }
    expect(await ask([json(lies)])).toMatchObject({
      kind: 'refused',
      message: 'The engine gave impossible times for 4 of 4 words.',
    })
  })

  it.each([
    ['not JSON', (response: ServerResponse) => response.end('<html>')],
    ['another format', json({ text: 'Only text' })],
    ['of another shape', json({ words: [{ word: 'a', start: '1' }] })],
  ])('%s is a fault of the settings', async (_, answer) => {
    const { kind, message } = await ask([answer])
    expect([kind, message]).toEqual([
      'misconfigured',
      'SPEECH_URL did not answer in the format verbose_json of OpenAI’s transcription API.',
    ])
  })

  it('without end is not read to the end', async () => {
    let written = 0
    const { kind, message } = await ask([
      (response) => {
        const piece = Buffer.alloc(256 * 1024, ' ')
        const write = () => {
          while (!response.destroyed && response.write(piece)) written += piece.length
          written += piece.length
        }
        response.on('drain', write)
        write()
      },
    ])
    expect([kind, message]).toEqual(['refused', 'SPEECH_URL answered with more than 8 MB.'])
    expect(written).toBeLessThan(64 * 1024 ** 2)
  })
})

describe('a server that fails', () => {
  it.each([500, 502, 503, 408])('with %i may work later', async (status) => {
    expect(await ask([json({}, status)])).toMatchObject({ kind: 'unavailable', message: `SPEECH_URL answered with ${status}.` })
    expect(received).toHaveLength(1)
  })

  it('says when to ask again', async () => {
    expect(await ask([json({}, 429, { 'Retry-After': '7' })])).toMatchObject({ kind: 'unavailable', retryAfterSec: 7 })
    const date = new Date(Date.now() + 30_000).toUTCString()
    const { retryAfterSec } = await ask([json({}, 503, { 'Retry-After': date })])
    expect(retryAfterSec).toBeGreaterThan(20)
    expect(retryAfterSec).toBeLessThanOrEqual(30)
  })

  it.each(['999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])('is asked again within an hour, though it says %s', async (value) => {
    expect(await ask([json({}, 429, { 'Retry-After': value })])).toMatchObject({ kind: 'unavailable', retryAfterSec: 3_600 })
  })

  it.each<[string, Answer]>([
    ['breaking the connection', (response) => void response.destroy()],
    [
      'breaking it halfway',
      (response) => {
        response.writeHead(200, { 'Content-Length': '1000' })
        response.write('{"text":')
        response.destroy()
      },
    ],
    ['not answering', () => {}],
    [
      'never ending',
      (response) => {
        const timer = setInterval(() => response.write(' '), 100)
        response.on('close', () => clearInterval(timer))
      },
    ],
  ])('by %s may work later', async (_, answer) => {
    expect(await ask([answer], { patienceMs: 1_000 })).toMatchObject({ kind: 'unavailable' })
  })

  it.each([
    [401, 'misconfigured'],
    [403, 'misconfigured'],
    [404, 'misconfigured'],
    [302, 'misconfigured'],
    [400, 'refused'],
    [413, 'refused'],
  ])('with %i does not work later', async (status, kind) => {
    const answer = await ask([
      json({ error: { message: `Incorrect\nAPI key provided: ${KEY}` } }, status, { Location: 'http://127.0.0.1:1/' }),
    ])
    expect(answer).toMatchObject({ kind, message: `SPEECH_URL answered with ${status}: Incorrect API key provided: …` })
    expect(received).toHaveLength(1)
  })

  it('because it does not exist is unavailable', async () => {
    const { kind, message } = await ask([], { settings: { SPEECH_URL: 'http://127.0.0.1:1' } })
    expect([kind, message]).toEqual(['unavailable', 'SPEECH_URL cannot be reached (ECONNREFUSED).'])
  })
})

describe('ends with the reason of its signal', () => {
  const reason = new Error('enough')
  const settings = () => provide({ BASE_URL: 'http://localhost', SPEECH_URL: origin, SPEECH_ALLOWED_HOSTS: '127.0.0.1' })

  it('while the server works', async () => {
    settings()
    const stop = new AbortController()
    answers = [() => stop.abort(reason)]
    await expect(httpEngine().transcribe(PCM, { signal: stop.signal })).rejects.toBe(reason)
  })
})

describe('a host', () => {
  it.each([
    ['http://127.0.0.1:9', 'Enter a URL that starts with https://.'],
    ['https://10.0.0.7/v1', 'This URL does not resolve to a public address.'],
    ['https://localhost/v1', 'This URL does not resolve to a public address.'],
  ])('%s that is not public needs the operator’s permission', async (SPEECH_URL, words) => {
    const settings = { SPEECH_URL, SPEECH_ALLOWED_HOSTS: '' }
    expect(await ask([json(WORDS)], { settings })).toMatchObject({
      kind: 'misconfigured',
      message: `SPEECH_URL: ${words} If this server is in your network, add its host to SPEECH_ALLOWED_HOSTS.`,
    })
    expect(received).toEqual([])
  })
})

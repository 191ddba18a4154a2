import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { provide, renew } from '../server/testing/settings.ts'
import { operator } from './operator/run-in-test.ts'

const OFF = { SPEECH_ENGINE: '', WHISPER_MODEL: '', SPEECH_URL: '', SPEECH_ALLOWED_HOSTS: '' }
const check = (settings: Partial<typeof OFF>, ...typed: string[]) => {
  provide({ BASE_URL: 'http://localhost', ...OFF, ...settings })
  renew('speechEngine')
  return operator('speech', 'check', ...typed)
}

it.each([
  [
    {},
    'Speech to text is off. Set WHISPER_MODEL to the file of a Whisper model, or SPEECH_URL to a server with OpenAI’s transcription API (docs/speech.md).\n',
  ],
  [{ SPEECH_ENGINE: 'whisper' }, 'SPEECH_ENGINE is whisper: set WHISPER_MODEL to the file of a Whisper model.\n'],
  [{ SPEECH_ENGINE: 'http' }, 'SPEECH_ENGINE is http: set SPEECH_URL to the base URL of a transcription server.\n'],
])('with %j it says how to switch speech to text on', async (settings, out) => {
  expect(await check(settings)).toEqual({ code: 1, out, err: '' })
})

it('says why an engine cannot work', async () => {
  expect(await check({ WHISPER_MODEL: '/none/ggml.bin' })).toEqual({
    code: 1,
    out: '',
    err: 'WHISPER_MODEL names /none/ggml.bin, but there is no such file.\n',
  })
})

describe('with a server', () => {
  let server: Server
  let samples = 0
  let words = [{ word: 'Ask', start: 3.2, end: 3.5 }]
  beforeAll(async () => {
    server = createServer((request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => {
        const body = Buffer.concat(pieces)
        samples = body.readUInt32LE(body.indexOf('RIFF') + 40) / 2
        response.end(JSON.stringify({ language: 'english', words }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const settings = () => ({
    SPEECH_URL: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    SPEECH_ALLOWED_HOSTS: '127.0.0.1',
  })

  it('transcribes eleven seconds of speech', async () => {
    const { code, out, err } = await check(settings())
    expect([code, err]).toEqual([0, ''])
    expect(samples / 16_000).toBeCloseTo(11, 1)
    expect(out).toMatch(
      /^engine {4}http\nspeed {5}[\d.]+ s for 11\.0 s of audio: \d+\.\d\d times real time\nmemory {4}not known\nlanguage {2}en\ntext {6}Ask\n$/,
    )
  })

  it('fails without a word, and where a file has no audio', async () => {
    words = []
    expect(await check(settings())).toMatchObject({ code: 1, out: expect.stringContaining('text      no speech\n') })
    expect(await check(settings(), '--file', import.meta.filename)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('Invalid data'),
    })
  })
})

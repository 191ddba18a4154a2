import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { provide } from '../../testing/settings.ts'
import { writeTinyWhisper } from '../../testing/tiny-whisper.ts'
import type { SpeechError } from './engine.ts'
import { whisperEngine } from './whisper-engine.ts'

let scratch: string
let model: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-whisper-'))
  model = join(scratch, 'ggml-tiny.bin')
  await writeTinyWhisper(model)
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const PCM = Float32Array.from({ length: 48_000 }, (_, at) => 0.3 * Math.sin(at / 9) * Math.sin(at / 1_000))

async function transcribe(
  WHISPER_MODEL: string,
  { language, signal = new AbortController().signal }: { language?: string; signal?: AbortSignal } = {},
) {
  provide({ BASE_URL: 'http://localhost', WHISPER_MODEL })
  return whisperEngine().transcribe(PCM, { language, signal })
}
const refusal = (path: string) =>
  transcribe(path).then(
    () => undefined,
    ({ kind, message }: SpeechError) => `${kind}: ${message}`,
  )

describe('the native module', () => {
  it('runs a model: words in order, within the audio, in the given language', async () => {
    const { language, words } = await transcribe(model, { language: 'de' })
    expect(language).toBe('de')
    expect(words.length).toBeGreaterThan(0)
    let at = 0
    for (const { text, fromSec, toSec } of words) {
      expect(text).toMatch(/^[wx]\d/)
      expect(fromSec).toBeGreaterThanOrEqual(at)
      expect(toSec).toBeGreaterThanOrEqual(fromSec)
      at = toSec
    }
    expect(at).toBeLessThanOrEqual(3)
  })

  it('finds the language', async () => expect((await transcribe(model)).language).toMatch(/^[a-z]{2,3}$/))

  it('runs a model of English alone', async () => {
    const english = join(scratch, 'ggml-tiny.en.bin')
    await writeTinyWhisper(english, { vocab: 51_864 })
    expect((await transcribe(english)).language).toBe('en')
    await expect(transcribe(english, { language: 'de' })).rejects.toMatchObject({
      kind: 'refused',
      message: 'The model of WHISPER_MODEL does not know the language de.',
    })
  })

  it('calls Javanese jw, which is jv, and refuses a language that it does not know', async () => {
    expect((await transcribe(model, { language: 'jv' })).language).toBe('jv')
    await expect(transcribe(model, { language: 'kl' })).rejects.toMatchObject({ kind: 'refused' })
  })

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const running = transcribe(model, { signal: stop.signal })
    setImmediate(() => stop.abort(reason))
    await expect(running).rejects.toBe(reason)
  })
})

describe('a model that cannot be used', () => {
  it('is missing, or a folder', async () => {
    expect(await refusal(join(scratch, 'none.bin'))).toBe(
      `misconfigured: WHISPER_MODEL names ${scratch}/none.bin, but there is no such file.`,
    )
    expect(await refusal(scratch)).toBe(`misconfigured: WHISPER_MODEL names ${scratch}, but it is a folder.`)
  })

  it.each<[string, (path: string) => Promise<void>]>([
    ['empty', (path) => writeFile(path, '')],
    ['another file', (path) => writeFile(path, 'RIFF and so on')],
    [
      'cut off within its weights',
      async (path) => {
        await writeTinyWhisper(path)
        await truncate(path, 9_000_000)
      },
    ],
    [
      'cut off within its words',
      async (path) => {
        await writeTinyWhisper(path)
        await truncate(path, 100_000)
      },
    ],
    [
      'of random bytes after its magic',
      (path) =>
        writeFile(
          path,
          Buffer.from(Array.from({ length: 60_000 }, (_, at) => (at < 4 ? ([0x6c, 0x6d, 0x67, 0x67][at] ?? 0) : (at * 7_919) % 251))),
        ),
    ],
  ])('is %s', async (name, write) => {
    const path = join(scratch, `${name}.bin`)
    await write(path)
    expect(await refusal(path)).toBe(`misconfigured: WHISPER_MODEL names ${path}, which is damaged or not a Whisper model in ggml format.`)
  })
})

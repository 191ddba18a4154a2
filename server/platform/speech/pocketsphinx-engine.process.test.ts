import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { processesWith } from '../../testing/services/processes.ts'
import { provide } from '../../testing/settings.ts'
import { guardedInput } from '../ffmpeg/ffmpeg.ts'
import { readPcm, SAMPLE_RATE } from './pcm.ts'
import { pocketsphinxEngine, wordsOfLines } from './pocketsphinx-engine.ts'
import { LevelMeter, speechSpans } from './speech-spans.ts'

provide({ BASE_URL: 'http://localhost' })
const signal = new AbortController().signal
const sample = fileURLToPath(new URL('sample.ogg', import.meta.url))
const readSample = () => readPcm({ args: guardedInput(sample), only: { reads: [sample], writes: [] } })

it('reads the words that it prints, and no fillers', () => {
  const lines = [
    'and so my fellow',
    '<s> 0.000 0.310 0.9',
    'and(2) 0.320 0.450 0.871',
    "can't 0.460 0.900 0.5",
    '[NOISE] 1.000 1.100 1',
    '<sil> 1 2 3',
    '</s> 2.0 2.1 1',
  ]
  expect(wordsOfLines(lines)).toEqual([
    { text: 'and', fromSec: 0.32, toSec: 0.45 },
    { text: "can't", fromSec: 0.46, toSec: 0.9 },
  ])
})

it('refuses other languages than English', async () => {
  const german = pocketsphinxEngine().transcribe(new Float32Array(SAMPLE_RATE), { language: 'de', signal })
  await expect(german).rejects.toMatchObject({ kind: 'refused', message: 'PocketSphinx knows English only, not the language de.' })
})

it('the sample contains speech with pauses', async () => {
  const pcm = await readSample()
  expect(pcm.length / SAMPLE_RATE).toBeCloseTo(11, 1)
  const meter = new LevelMeter()
  meter.add(pcm)
  const spans = speechSpans(meter.result())
  expect(spans.length).toBeGreaterThan(1)
  // “Americans” ends before 2.3 s, and “ask not” begins after 3.2 s.
  expect(spans.some(({ fromSec, toSec }) => fromSec < 2.5 && toSec > 3)).toBe(false)
})

describe.skipIf(spawnSync('pocketsphinx_continuous', ['-h']).error !== undefined)('with pocketsphinx', () => {
  it('hears “country” where it is said', async () => {
    const { language, words } = await pocketsphinxEngine().transcribe(await readSample(), { signal })
    expect(language).toBe('en')
    const said = words.filter(({ text }) => text === 'country').map(({ fromSec }) => fromSec)
    expect(said.some((sec) => Math.abs(sec - 4.95) < 0.3 || Math.abs(sec - 9.9) < 0.3)).toBe(true)
  })

  it('yields the processor to all other work', async () => {
    const stop = new AbortController()
    const running = pocketsphinxEngine().transcribe(new Float32Array(SAMPLE_RATE * 60).fill(0.1), { signal: stop.signal })
    const priorities = async () => {
      const pids = await processesWith('pocketsphinx_continuous')
      const own = pids.filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('pocketsphinx'))
      return own.map((pid) => getPriority(Number(pid)))
    }
    await vi.waitFor(async () => expect(await priorities()).toContain(19))
    stop.abort()
    await expect(running).rejects.toThrow()
  })

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const running = pocketsphinxEngine().transcribe(new Float32Array(SAMPLE_RATE * 60).fill(0.1), { signal: stop.signal })
    setImmediate(() => stop.abort(reason))
    await expect(running).rejects.toBe(reason)
  })
})

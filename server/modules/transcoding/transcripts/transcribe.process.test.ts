import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { rounds } from '../../../testing/media/rounds.ts'
import { transcodedVideo } from '../../../testing/media/transcoded.ts'
import { startWorkerProcess } from '../../../testing/services/worker-process.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { readTranscript } from '../../../testing/transcript.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { readExtra } from '../../videos/extras.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { repairDue } from '../repair.ts'
import { generateCaptions } from './generate-captions.ts'
import { readTranscriptions } from './read-transcriptions.ts'
import { attemptTranscript } from './transcript-attempt.ts'
import { leaseNextTranscript } from './transcript-lease.ts'

const { dataDir } = await testDatabase()

/** What the engine of the test hears in a chunk of `seconds`, or how it fails. */
type Hear = (seconds: number, call: number) => { status?: number; body: object }

let ctx: AccountCtx
let scratch: string
let url: string
let hear: Hear
/** Replies that are held back, if any are to be. */
let held: (() => void)[] | undefined
let calls: number[] = []

/** An engine in the format of OpenAI's transcription API. */
const engine = createServer((req, res) => void answer(req, res))
async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let bytes = 0
  for await (const part of req) bytes += (part as Buffer).length
  // 16-bit samples at 16 kHz, and about 1 KB of form.
  const seconds = Math.round((bytes - 1_000) / 32_000)
  calls.push(seconds)
  const { status = 200, body } = hear(seconds, calls.length)
  const reply = () => void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (held) held.push(reply)
  else reply()
}

/** Words that are said at each second, from half a second on. */
const said = (seconds: number) => ({
  body: {
    language: 'english',
    text: '',
    words: Array.from({ length: seconds - 1 }, (_, at) => ({
      ...{ word: `word${at}`, start: 0.5 + at, end: 0.9 + at },
    })),
  },
})

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-speech-'))
  await startQueue(JOBS)
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(engine.address() as AddressInfo).port}/v1`
})
afterAll(async () => {
  engine.close()
  await stopQueue()
  await rm(scratch, { recursive: true, force: true })
})
beforeEach(async () => {
  await db().account.deleteMany()
  ctx = await makeAccount()
  calls = []
  hear = (seconds) => said(seconds)
  held = undefined
  provide({ SPEECH_ENGINE: undefined, SPEECH_URL: url, SPEECH_ALLOWED_HOSTS: new URL(url).host })
  renew('speechEngine')
})

const never = new AbortController().signal
const hasPocketsphinx = spawnSync('pocketsphinx_continuous', ['-h']).error === undefined
const picture = (seconds: number) => ['-f', 'lavfi', '-i', `testsrc2=size=64x36:rate=10:duration=${seconds}`]
const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']

/** Makes a COMPLETED video of a picture and other inputs. */
async function video(name: string, args: string[], seconds: number): Promise<string> {
  const path = join(scratch, name)
  await ffmpeg([...picture(seconds), ...args, ...codecs, path])
  return transcodedVideo(ctx, path, { targetQuality: '240p' })
}

/** Sound that rises and falls as speech does, five times a second, for `seconds` after `silence`. */
const babble = (seconds: number, silence = 0) => [
  ...[
    '-f',
    'lavfi',
    '-i',
    `aevalsrc='if(lt(t,${silence}),0,0.4*sin(2*PI*(200+80*sin(3*t))*t)*gt(sin(2*PI*2.5*t),0))':d=${seconds}:s=16000`,
  ],
]

/** Runs steps until the video's transcript has ended, or no step is due. */
async function transcribe(): Promise<void> {
  for (;;) {
    const lease = await leaseNextTranscript({ tiers: ['FREE', 'PAID'] })
    if (!lease) return
    await attemptTranscript(lease, never)
  }
}
const due = () => db().$executeRaw`UPDATE transcript SET due_at = service_now() - interval '1 second' WHERE state = 'open'`
const state = async (videoId: string) => (await readTranscriptions(videoId))[0]
const generate = (videoId: string) => generateCaptions(ctx, { videoId, language: 'auto', replace: false })

describe('an engine with an API', () => {
  it('gets chunks, whose words become captions with the times of the picture', async () => {
    const videoId = await video('long.mp4', [...babble(150, 3)], 153)
    await generate(videoId)
    await transcribe()
    expect(await state(videoId)).toMatchObject({ state: 'completed', language: 'en', progress: 1 })
    expect(calls.length).toBeGreaterThan(1)
    expect(Math.max(...calls)).toBeLessThanOrEqual(121)
    const { cues, words } = await readTranscript(ctx, { videoId, format: 'json' })
    // The first chunk begins a margin before the first sound at 3 s.
    expect(words?.[0]?.startSec).toBeGreaterThan(2.7)
    expect(words?.[0]?.startSec).toBeLessThan(4.2)
    expect(cues?.every(({ startSec, endSec }, at) => startSec < endSec && endSec <= (cues[at + 1]?.startSec ?? 153))).toBe(true)
    const [caption] = await db().caption.findMany()
    expect(caption).toMatchObject({ language: 'en', label: 'English', generated: true, edited: false })
    expect(String(await readExtra(videoId, caption?.name ?? ''))).toMatch(/^WEBVTT\n/)
    const [day] = await db().transcribedDay.findMany()
    expect(day?.seconds).toBeGreaterThan(140)
    expect(day?.seconds).toBeLessThan(160)
    expect(await db().transcriptChunk.count()).toBe(0)
  })

  it('that fails for a while is asked again; a chunk that it refuses is left out, and named in the log', async () => {
    const videoId = await video('refused.mp4', [...babble(150)], 150)
    await generate(videoId)
    hear = (seconds, call) => (call === 1 ? { status: 422, body: { error: { message: 'bad audio' } } } : said(seconds))
    await transcribe()
    expect(await state(videoId)).toMatchObject({ state: 'retrying', reason: 'The speech-to-text engine refused a part of the audio.' })
    const refused = calls[0] as number
    hear = (seconds) => (seconds === refused ? { status: 422, body: {} } : said(seconds))
    for (let attempt = 0; attempt < 3; attempt++) {
      await due()
      await transcribe()
    }
    expect(await state(videoId)).toMatchObject({ state: 'completed' })
    const { words } = await readTranscript(ctx, { videoId, format: 'json' })
    expect(words?.[0]?.startSec).toBeGreaterThan(refused - 5)
    const lines = await db().videoLog.findMany({ where: { step: 'captions' } })
    expect(lines.map(({ message }) => message).join('\n')).toMatch(/could not transcribe 00:00:00 to 00:0\d:\d\d/)
  })

  it('that is down leaves the request waiting, and explains it', async () => {
    const videoId = await video('short.mp4', [...babble(8)], 8)
    await generate(videoId)
    provide({ SPEECH_URL: 'http://127.0.0.1:9/v1', SPEECH_ALLOWED_HOSTS: '127.0.0.1:9' })
    renew('speechEngine')
    await transcribe()
    expect(await state(videoId)).toMatchObject({ state: 'retrying', reason: 'The speech-to-text engine did not respond.' })
    expect(await db().transcript.findFirst()).toMatchObject({ failures: 0, storageFaults: 1 })
  })
})

describe('audio', () => {
  it('without a sound, and a video without audio, give no captions and say so, without asking the engine', async () => {
    const silent = await video('silent.mp4', ['-f', 'lavfi', '-i', 'anullsrc=d=8'], 8)
    const mute = await video('mute.mp4', ['-an'], 8)
    await generate(silent)
    await generate(mute)
    await transcribe()
    expect(await state(silent)).toMatchObject({ state: 'empty', reason: expect.stringContaining('no speech') })
    expect(await state(mute)).toMatchObject({ state: 'empty', reason: expect.stringContaining('no audio') })
    expect([calls, await db().caption.count()]).toEqual([[], 0])
  })

  it.each([
    ['in mono at 8 kHz', ['-ac', '1', '-ar', '8000']],
    ['in 5.1', ['-af', 'pan=5.1|FC=c0']],
  ])('%s is transcribed', async (name, args) => {
    const videoId = await video(`layout-${name.length}.mp4`, [...babble(8), ...args], 8)
    await generate(videoId)
    await transcribe()
    expect(await state(videoId)).toMatchObject({ state: 'completed' })
  })

  /** Chords and a drum, which rise and fall as speech does. */
  const chord = [220, 277.2, 329.6].map((pitch) => `sin(2*PI*${pitch}*t)`).join('+')
  const music = [
    ...['-f', 'lavfi', '-i'],
    `aevalsrc='0.25*(${chord})*exp(-6*mod(t,0.5))+0.15*(random(0)-0.5)*exp(-30*mod(t+0.25,0.5))':d=20:s=16000`,
  ]

  const pocketsphinx = { SPEECH_URL: undefined, SPEECH_ENGINE: 'pocketsphinx' }
  it.each<[string, Parameters<typeof provide>[0], string]>([
    ['an engine that names it', {}, '[Music]'],
    ...(hasPocketsphinx ? ([['an engine that hears words in it', pocketsphinx, '']] as [string, typeof pocketsphinx, string][]) : []),
  ])('of music alone gives no captions and says so, with %s', async (_name, settings, word) => {
    provide(settings)
    renew('speechEngine')
    hear = () => ({ body: { language: 'english', text: word, words: [{ word, start: 0, end: 19 }] } })
    const videoId = await video('music.mp4', music, 20)
    await generate(videoId)
    await transcribe()
    expect(await state(videoId)).toMatchObject({ state: 'empty', reason: expect.stringContaining('no speech') })
    // The engine was asked.
    expect((await db().transcribedDay.findFirstOrThrow()).seconds).toBeGreaterThan(15)
  })

  it('that starts late has the times of the picture', async () => {
    const videoId = await video('late.mkv', ['-itsoffset', '5', ...babble(8)], 13)
    await generate(videoId)
    await transcribe()
    const { words } = await readTranscript(ctx, { videoId, format: 'json' })
    // The chunk begins a margin of 0.2 s before the sound, and the word half a second after that.
    expect(words?.[0]?.startSec).toBeGreaterThan(5.1)
    expect(words?.[0]?.startSec).toBeLessThan(5.6)
  })
})

describe('stored audio that is damaged', () => {
  const DAMAGED = { state: 'retrying', reason: 'A part of the stored audio is damaged.' }

  /** Makes a video of 24 s, and damages its audio from 4 to 8 s and from 12 to 16 s. */
  async function damagedVideo(): Promise<string> {
    const videoId = await video('damaged.mp4', [...babble(24)], 24)
    const { mediaId, segments } = await db().audioRendition.findFirstOrThrow({ where: { mediaId: videoId } })
    const keys = (segments as [string, number][]).map(([name]) => segmentKey(mediaId, name))
    const changed = join(dataDir, 'media', keys[1] ?? '')
    const body = await readFile(changed)
    body[300] = (body[300] as number) ^ 1
    // A file of its own: the store may share that of the kept fixture.
    await rm(changed)
    await writeFile(changed, body)
    await storage().delete(keys[3] ?? '')
    return videoId
  }
  const wordsWithin = async (videoId: string, fromSec: number, toSec: number) => {
    const { words } = await readTranscript(ctx, { videoId, format: 'json' })
    return words?.filter(({ startSec }) => startSec > fromSec && startSec < toSec).length
  }

  it('is repaired, and then transcribed as a whole', async () => {
    const videoId = await damagedVideo()
    await generate(videoId)
    await transcribe()
    expect(await state(videoId)).toMatchObject(DAMAGED)
    await repairDue(never)
    await due()
    await transcribe()
    expect(await state(videoId)).toMatchObject({ state: 'completed' })
    expect(await wordsWithin(videoId, 4.5, 7.5)).toBeGreaterThan(0)
    expect(await db().videoLog.count({ where: { step: 'captions', message: { contains: 'damaged' } } })).toBe(0)
  })

  it('without a repair is left out and named in the log; what follows keeps its time', async () => {
    const videoId = await damagedVideo()
    await generate(videoId)
    for (let attempt = 0; attempt < 3; attempt++) {
      if (attempt > 0) expect(await state(videoId)).toMatchObject({ ...DAMAGED, attempts: attempt })
      await due()
      await transcribe()
    }
    expect(await state(videoId)).toMatchObject({ state: 'completed' })
    const inGaps = [await wordsWithin(videoId, 4.3, 7.7), await wordsWithin(videoId, 12.3, 15.7)]
    const beside = [await wordsWithin(videoId, 0, 4), await wordsWithin(videoId, 8, 12), await wordsWithin(videoId, 16, 24)]
    expect([inGaps, beside]).toEqual([
      [0, 0],
      [4, 4, 7],
    ])
    const lines = await db().videoLog.findMany({ where: { step: 'captions', message: { contains: 'damaged' } } })
    expect(lines.map(({ message }) => message)).toEqual([
      'The stored audio is damaged from 00:00:04 to 00:00:08, which has no captions.',
      'The stored audio is damaged from 00:00:12 to 00:00:16, which has no captions.',
    ])
    expect((await db().mediaFault.findMany({ orderBy: { kind: 'asc' } })).map(({ kind }) => kind)).toEqual(['changed', 'missing'])
  })
})

const HOURS = rounds(1, 10)

it(`a track of ${HOURS} h is divided into chunks in little memory, continues after a kill, and becomes one file`, async () => {
  const path = join(scratch, 'minute.mp4')
  await ffmpeg([...picture(60), ...babble(58, 2), ...codecs, path])
  const videoId = await transcodedVideo(ctx, path, { targetQuality: '240p', encrypted: false })
  // The minute again and again: without encryption, a segment can have several places.
  const { segments } = await db().audioRendition.findFirstOrThrow({ where: { mediaId: videoId } })
  const long = Array.from({ length: HOURS * 60 }, () => segments as [string, number][]).flat()
  await db().audioRendition.updateMany({ where: { mediaId: videoId }, data: { segments: long } })
  await db().video.update({ where: { id: videoId }, data: { durationSec: HOURS * 3_600 } })
  await generate(videoId)

  const lease = await leaseNextTranscript({ tiers: ['FREE', 'PAID'] })
  const before = process.memoryUsage().rss
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before)
  }, 20)
  const began = performance.now()
  if (lease) await attemptTranscript(lease, never)
  clearInterval(watch)
  const planned = await db().transcriptChunk.findMany({ orderBy: { position: 'asc' } })
  const longest = Math.max(...planned.map(({ fromSec, toSec }) => toSec - fromSec))
  console.info(
    `${HOURS} h: ${planned.length} chunks in ${Math.round((performance.now() - began) / 1_000)} s, ${Math.round(most / 1e6)} MB more`,
  )
  expect(planned.length).toBeGreaterThanOrEqual(HOURS * 30)
  expect(longest).toBeLessThanOrEqual(121)
  // Each repetition ends with a part of a frame.
  expect((planned.at(-1)?.toSec ?? 0) / (HOURS * 3_600)).toBeCloseTo(1, 2)
  // Its samples would take 230 MB an hour.
  expect(most).toBeLessThan(HOURS * 230e6 * 0.5 + 100e6)

  held = []
  const settings = { SPEECH_URL: url, SPEECH_ALLOWED_HOSTS: new URL(url).host }
  const first = await startWorkerProcess('worker', settings)
  const answerNext = () => held?.splice(0).map((reply) => reply())
  await vi.waitFor(() => expect(answerNext() && calls.length).toBeGreaterThan(3), { timeout: 120_000, interval: 20 })
  await first.kill()
  const done = await db().transcriptChunk.findMany({ where: { doneAt: { not: null } }, orderBy: { position: 'asc' } })
  expect(done.length).toBeGreaterThan(1)
  const second = await startWorkerProcess('worker', settings)
  const isFurther = async () => expect(answerNext() && (await db().transcript.findFirstOrThrow()).position).toBeGreaterThan(done.length + 1)
  await vi.waitFor(isFurther, { timeout: 120_000, interval: 20 })
  await second.kill()
  const after = await db().transcriptChunk.findMany({ where: { position: { lt: done.length } }, orderBy: { position: 'asc' } })
  expect(after).toEqual(done)
  expect(await db().transcriptChunk.count()).toBe(planned.length)

  // The others are heard elsewhere, with as many words as people say.
  await db().$executeRaw`
    UPDATE transcript_chunk SET done_at = service_now(), language = 'en', words = (
      SELECT jsonb_agg(jsonb_build_array('word' || n, (from_sec * 1000)::int + n * 400, (from_sec * 1000)::int + n * 400 + 300) ORDER BY n)
      FROM generate_series(0, ((to_sec - from_sec) / 0.4)::int - 1) AS n)
    WHERE done_at IS NULL`
  await db().$executeRaw`UPDATE transcript SET leased_until = service_now() - interval '1 second' WHERE leased_until IS NOT NULL`
  held = undefined
  await transcribe()
  expect(await state(videoId)).toMatchObject({ state: 'completed', language: 'en' })
  const { cues } = await readTranscript(ctx, { videoId, format: 'json' })
  expect(cues?.length).toBeGreaterThan(HOURS * 500)
  expect((cues?.at(-1)?.endSec ?? 0) / (HOURS * 3_600)).toBeCloseTo(1, 2)
})

describe('a video that is to be transcoded', () => {
  const completes = async (id: string) =>
    vi.waitFor(async () => expect((await db().video.findUniqueOrThrow({ where: { id } })).status).toBe('COMPLETED'), {
      ...{ timeout: 120_000, interval: 100 },
    })
  const row = (videoId: string) => db().transcript.findFirstOrThrow({ where: { videoId } })

  it('does not wait for an engine elsewhere, and does not interrupt it', async () => {
    const videoId = await video('first.mp4', [...babble(8)], 8)
    held = []
    await generate(videoId)
    const worker = await startWorkerProcess('worker', { SPEECH_URL: url, SPEECH_ALLOWED_HOSTS: new URL(url).host })
    try {
      await vi.waitFor(() => expect(calls).toHaveLength(1), { timeout: 60_000, interval: 50 })
      await completes(await pendingVideo(ctx, join(scratch, 'first.mp4'), { targetQuality: '240p' }))
      for (const reply of held) reply()
      await vi.waitFor(async () => expect((await state(videoId))?.state).toBe('completed'), { timeout: 60_000, interval: 100 })
      expect(calls).toHaveLength(1)
    } finally {
      await worker.kill()
    }
  })

  it.skipIf(!hasPocketsphinx)(
    'comes before an engine on the machine: its chunk is due again, without a failure, after the last video',
    async () => {
      const videoId = await video('slow.mp4', [...babble(55)], 55)
      provide({ SPEECH_URL: undefined, SPEECH_ENGINE: 'pocketsphinx' })
      await generate(videoId)
      const worker = await startWorkerProcess('worker', { SPEECH_ENGINE: 'pocketsphinx' })
      try {
        const isTranscribing = async () =>
          expect(await row(videoId)).toMatchObject({ speechSec: expect.any(Number), leaseId: expect.any(String) })
        await vi.waitFor(isTranscribing, { timeout: 60_000, interval: 10 })
        const { leaseId, startedAt } = await row(videoId)
        const queue = [1, 2, 3].map(() => pendingVideo(ctx, join(scratch, 'slow.mp4'), { targetQuality: '240p' }))
        const others = await Promise.all(queue)
        await vi.waitFor(async () => expect((await row(videoId)).leaseId).not.toBe(leaseId), { timeout: 60_000, interval: 10 })
        expect(await row(videoId)).toMatchObject({ state: 'open', cause: 'stopped', failures: 0, losses: 0, storageFaults: 0, position: 0 })
        const isTakenAgain = async () => expect(Number((await row(videoId)).startedAt)).toBeGreaterThan(Number(startedAt))
        await vi.waitFor(isTakenAgain, { timeout: 200_000, interval: 10 })
        const ended = await db().video.findMany({ where: { id: { in: others } }, select: { status: true } })
        expect(ended.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED'])
      } finally {
        await worker.kill()
      }
    },
  )
})

/** 11 seconds of a speech in which “country” is said at these seconds. */
const sample = fileURLToPath(new URL('../../../platform/speech/sample.ogg', import.meta.url))
const COUNTRY_SEC = [4.95, 9.9]

it.skipIf(!hasPocketsphinx)('speech is heard by a real engine, within 0.3 s of where it is said in the picture', async () => {
  provide({ SPEECH_URL: undefined, SPEECH_ENGINE: 'pocketsphinx' })
  renew('speechEngine')
  const lateSec = 2
  const videoId = await video('said.mp4', ['-itsoffset', String(lateSec), '-i', sample], 14)
  await generate(videoId)
  await transcribe()
  expect(await state(videoId)).toMatchObject({ state: 'completed', language: 'en' })
  const { words, cues } = await readTranscript(ctx, { videoId, format: 'json' })
  const near = (sec: number) => COUNTRY_SEC.some((one) => Math.abs(sec - one - lateSec) < 0.3)
  expect(words?.filter(({ text, startSec }) => text === 'country' && near(startSec)).length).toBeGreaterThan(0)
  expect(cues?.some(({ text }) => text.includes('country'))).toBe(true)
})

describe('kills', () => {
  const KILLS = rounds(2, 12)

  it(`of workers at random (${KILLS}) leave one whole track, and no finished chunk is asked for again`, async () => {
    const seconds = rounds(260, 900)
    const undisturbed = await video(`kills-${seconds}.mp4`, [...babble(seconds)], seconds)
    await generate(undisturbed)
    await transcribe()
    const chunks = calls.length
    expect(chunks).toBeGreaterThan(2)
    const videoId = await video(`kills-${seconds}.mp4`, [...babble(seconds)], seconds)
    await generate(videoId)
    const settings = { SPEECH_URL: url, SPEECH_ALLOWED_HOSTS: new URL(url).host }
    let worker = await startWorkerProcess('worker', settings)
    let kills = 0
    while (kills < KILLS && (await state(videoId))?.endedAt === null) {
      const before = calls.length
      // A chunk, or the first pass, is in hand.
      await vi.waitFor(async () => expect(await db().transcript.count({ where: { videoId, leasedUntil: { not: null } } })).toBe(1), {
        ...{ timeout: 60_000, interval: 5 },
      })
      if (kills % 2 === 0) await vi.waitFor(() => expect(calls.length).toBeGreaterThan(before), { timeout: 60_000, interval: 5 })
      await worker.kill()
      kills++
      worker = await startWorkerProcess('worker', settings)
    }
    await vi.waitFor(async () => expect((await state(videoId))?.endedAt).not.toBeNull(), { timeout: 180_000, interval: 200 })
    await worker.kill()
    expect(kills).toBeGreaterThan(0)
    expect(await state(videoId)).toMatchObject({ state: 'completed' })
    const [whole, disturbed] = [await readTranscript(ctx, { videoId: undisturbed }), await readTranscript(ctx, { videoId })]
    expect(whole.words?.length).toBeGreaterThan(50)
    expect(disturbed).toEqual(whole)
    expect(calls.length - 2 * chunks).toBeLessThanOrEqual(kills)
    expect(await db().webhookEvent.count({ where: { type: 'video.captions.ready' } })).toBe(2)
  })
})

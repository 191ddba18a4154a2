import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ffmpeg, ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import { damageFile } from '../../../testing/media/damaged-file.ts'
import { secondsOf } from '../../../testing/media/encoded-file.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { provide } from '../../../testing/settings.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import { planOf } from '../plan/plan-video.ts'
import { type TrackPass, trackDespiteDamage } from './damaged-track.ts'
import { encodeAudio } from './encode-audio.ts'
import type { EncodedAudio } from './encoded.ts'

const never = new AbortController().signal
provide({ BASE_URL: 'http://localhost' })
let scratch: string
let whole: string
let plan: TranscodePlan
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-damaged-'))
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=size=256x144:rate=25:duration=30', '-f', 'lavfi', '-i', 'sine=duration=30']
  whole = await makeMediaFile('damaged-sound.mp4', [...inputs, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'])
  plan = await planOf(whole, '144p', never)
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const replace = (value: boolean) => provide({ TRANSCODE_REPLACE_DAMAGED: String(value) })
const damaged = (from: number, to: number) => damageFile(whole, join(scratch, `${from}-${to}.mp4`), { stream: 'a', from, to })

async function encode(source: string, { isLast = false, crashes = false } = {}) {
  const [track] = plan.facts.audio
  if (!track) throw new Error('the file has no sound')
  const pass = async ({ silent, ...rest }: TrackPass) => {
    if (crashes && !silent) throw new ProgramFailed('ffmpeg', 'SIGSEGV', '')
    return { encoded: await encodeAudio({ source, plan, silent, ...rest, signal: never, onProgress: () => {} }) }
  }
  return trackDespiteDamage({ source, folder: await mkdtemp(join(scratch, 'track-')), plan, track, signal: never, isLast }, pass)
}

/** Returns the seconds of the first silence of at least 2 s, to tenths; undefined when there is none. */
async function silenceOf({ segments }: EncodedAudio): Promise<[number, number] | undefined> {
  const path = `concat:${segments.map((one) => one.path).join('|')}`
  const raw = join(scratch, 'sound.raw')
  await ffmpeg(['-f', 'mpegts', '-i', path, '-af', 'silencedetect=n=-50dB:d=2,ametadata=mode=print:file=-', '-f', 's16le', raw], {
    onLine: (line) => found.push(line),
  })
  const lines = found.splice(0)
  const at = (name: string) => Number(lines.find((line) => line.startsWith(`lavfi.silence_${name}=`))?.split('=')[1])
  const [start, end] = [at('start'), at('end')]
  return Number.isNaN(start) ? undefined : [start, end]
}
const found: string[] = []

it('sound of which most cannot be decoded is refused by name', async () => {
  replace(false)
  await expect(encode(await damaged(3, 28))).rejects.toThrow(/^The audio \(.+\) is damaged and could not be decoded\./)
})

it('sound of which most cannot be decoded is silent there, where that is permitted', async () => {
  replace(true)
  const { encoded, damage } = await encode(await damaged(3, 28))
  expect(secondsOf(encoded.segments)).toBeCloseTo(30, 0)
  const [start = 0, end = 0] = (await silenceOf(encoded)) ?? []
  expect([start, end]).toEqual([expect.closeTo(3, 0), expect.closeTo(28, 0)])
  expect(damage).toEqual([{ fromSec: expect.closeTo(3, 0), toSec: expect.closeTo(28, 0) }])
})

it('sound that cannot be decoded to its end lasts as long as the video', async () => {
  replace(true)
  const { encoded, damage } = await encode(await damaged(8, 40))
  expect(secondsOf(encoded.segments)).toBeCloseTo(30, 0)
  expect(damage).toEqual([{ fromSec: expect.closeTo(8, 0), toSec: expect.closeTo(30, 0) }])
})

it('gaps that ffmpeg fills with silence are reported, whatever is permitted', async () => {
  for (const permitted of [false, true]) {
    replace(permitted)
    const { damage } = await encode(await damaged(10, 14))
    expect(damage).toEqual([{ fromSec: expect.closeTo(10, 0), toSec: expect.closeTo(14, 0) }])
  }
})

it('sound on which the decoder crashes is silent after the last attempt', async () => {
  replace(true)
  await expect(encode(whole, { crashes: true })).rejects.toThrow('SIGSEGV')
  const { encoded, damage } = await encode(whole, { crashes: true, isLast: true })
  expect(secondsOf(encoded.segments)).toBeCloseTo(30, 0)
  expect((await silenceOf(encoded))?.[0]).toBeCloseTo(0, 1)
  expect(damage).toEqual([{ fromSec: 0, toSec: plan.facts.durationSec }])
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import { type Joined, numberedFrames, plansOf, play, writePlaylist } from '../../../testing/media/chunked.ts'
import { damageFile } from '../../../testing/media/damaged-file.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { isShort } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import type { ChunkSizes } from '../plan/chunk-starts.ts'
import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import { countPackets } from '../probe/decoded-spans.ts'
import type { Span } from '../tasks/store.ts'
import { type ChunkPass, despiteDamage } from './damaged-chunk.ts'
import { encodeChunk } from './encode-chunk.ts'
import type { EncodedSegment } from './encoded.ts'

const never = new AbortController().signal
const RATE = 25
/** Chunks of one, two and two segments in 20 s. */
const chunkSizes: ChunkSizes = {
  wholeSec: 4,
  sizes: [
    { usual: 1, least: 1, most: 1 },
    { usual: 2, least: 2, most: 2 },
  ],
  last: 3,
}
provide({ BASE_URL: 'http://localhost' })
let scratch: string
/** 20 s with a key frame every 2 s. */
let whole: string
let plan: TranscodePlan
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-damaged-'))
  const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '50', '-x264-params', 'scenecut=0']
  whole = await makeMediaFile('damaged.mp4', [...numberedFrames(String(RATE), 20), ...encoder])
  plan = (await plansOf(whole, { chunkSizes })).chunked
  expect(plan.chunks.map(({ startFrame }) => startFrame / RATE)).toEqual([0, 4, 12])
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const replace = (value: boolean) => provide({ TRANSCODE_REPLACE_DAMAGED: String(value) })
const damaged = (from: number, to: number) => damageFile(whole, join(scratch, `${from}-${to}.mp4`), { stream: 'v', from, to })
const onePass = async (pass: ChunkPass) => ({ encoded: await encodeChunk({ ...pass, signal: never, onProgress: () => {} }) })

async function encode(source: string, chunk: Chunk, { isLast = false, pass = onePass } = {}) {
  const folder = await mkdtemp(join(scratch, 'chunk-'))
  return despiteDamage({ source, folder, plan, chunk, signal: never, isLast }, pass)
}

/** Encodes all chunks and joins them. */
async function encodeAll(source: string, options = {}): Promise<Omit<Joined, 'frames'> & { frames: number[]; damage: Span[] }> {
  const done = []
  for (const chunk of plan.chunks) done.push(await encode(source, chunk, options))
  const segments: EncodedSegment[] = done.flatMap(({ encoded }) => encoded.renditions[0]?.segments ?? [])
  const list = await writePlaylist(join(scratch, `${done.length}-${Math.random()}.m3u8`), segments)
  return { list, segments, frames: done.map(({ encoded }) => encoded.frames), damage: done.flatMap(({ damage }) => damage) }
}

/** Reads the numbers that the frames of a playlist show, whose times must be regular and whose seams must play without a warning. */
async function numbersOf(list: string): Promise<number[]> {
  const { frames, times, warnings } = await play(list)
  expect(warnings).toBe('')
  expect(times.filter((time, at) => Math.abs(time - (times[0] as number) - at / RATE) > 0.000_05)).toEqual([])
  return frames.map((luma) => luma.reduce((number, value, bit) => number + (value > 128 ? 2 ** bit : 0), 0))
}
const COUNT = 20 * RATE
const numbers = Array.from({ length: COUNT }, (_, at) => at)

describe('a chunk whose larger part cannot be decoded', () => {
  it('is refused with its place', async () => {
    replace(false)
    const source = await damaged(5, 12)
    await expect(encode(source, plan.chunks[1] as Chunk)).rejects.toThrow('The file cannot be decoded between 00:00:04 and 00:00:12.')
  })

  it('shows the last good picture there, where that is permitted', async () => {
    replace(true)
    const { list, frames, damage } = await encodeAll(await damaged(5, 12))
    expect(frames).toEqual([4 * RATE, 8 * RATE, 8 * RATE])
    const shown = await numbersOf(list)
    expect(shown.length).toBe(COUNT)
    const expected = numbers.map((at) => (at >= 5 * RATE && at < 12 * RATE ? 5 * RATE - 1 : at))
    expect(shown.flatMap((number, at) => (number === expected[at] ? [] : [[at, number]]))).toEqual([])
    expect(damage).toEqual([{ fromSec: 5, toSec: 12 }])
  })
})

describe.skipIf(isShort)('a chunk of which nothing can be decoded', () => {
  it('is refused with its place', async () => {
    replace(false)
    const source = await damaged(4, 16)
    await expect(encode(source, plan.chunks[1] as Chunk)).rejects.toThrow('The file cannot be decoded between 00:00:04 and 00:00:12.')
    expect((await encode(source, plan.chunks[0] as Chunk)).damage).toEqual([])
  })

  it('shows the last picture before it', async () => {
    replace(true)
    const { list, frames, damage } = await encodeAll(await damaged(3, 13))
    expect(frames).toEqual([4 * RATE, 8 * RATE, 8 * RATE])
    const shown = await numbersOf(list)
    const last = 3 * RATE - 1
    const next = 14 * RATE
    const expected = numbers.map((at) => (at < last || at >= next ? at : at < 12 * RATE ? last : next))
    expect(shown.flatMap((number, at) => (number === expected[at] ? [] : [[at, number]]))).toEqual([])
    expect(damage).toEqual([
      { fromSec: 3, toSec: 4 },
      { fromSec: 4, toSec: 12 },
      { fromSec: 12, toSec: 14 },
    ])
  })

  it('shows the first one after it at the beginning of a video', async () => {
    replace(true)
    const { encoded, damage } = await encode(await damaged(0, 5), plan.chunks[0] as Chunk)
    expect(encoded.frames).toBe(4 * RATE)
    const list = await writePlaylist(join(scratch, 'first.m3u8'), encoded.renditions[0]?.segments ?? [])
    expect(new Set(await numbersOf(list))).toEqual(new Set([6 * RATE]))
    expect(damage).toEqual([{ fromSec: 0, toSec: 4 }])
  })
})

it('countPackets counts from the start of the video', async () => {
  const later = { ...plan, facts: { ...plan.facts, originSec: 15 } }
  expect(await countPackets({ source: whole, plan: later, signal: never }, { seek: null }, { fromSec: 1, toSec: 20 })).toBe(4 * RATE)
})

it('damage that ffmpeg conceals is reported, whatever is permitted', async () => {
  const source = await damaged(6, 8)
  for (const permitted of [false, true]) {
    replace(permitted)
    const { encoded, damage } = await encode(source, plan.chunks[1] as Chunk)
    expect([encoded.frames, damage]).toEqual([8 * RATE, [{ fromSec: 6, toSec: 8 }]])
  }
})

describe.skipIf(isShort)('a decoder that crashes', () => {
  /** Encodes anything but the source. */
  const crashes = (source: string) => async (pass: ChunkPass) => {
    if (pass.source === source) throw new ProgramFailed('ffmpeg', 'SIGSEGV', '')
    return onePass(pass)
  }

  it('replaces the chunk in the last attempt', async () => {
    replace(true)
    const chunk = plan.chunks[1] as Chunk
    const pass = crashes(whole)
    await expect(encode(whole, chunk, { pass })).rejects.toThrow('SIGSEGV')
    const { encoded, damage } = await encode(whole, chunk, { pass, isLast: true })
    expect([encoded.frames, damage]).toEqual([8 * RATE, [{ fromSec: 4, toSec: 12 }]])
    const list = await writePlaylist(join(scratch, 'crash.m3u8'), encoded.renditions[0]?.segments ?? [])
    expect(new Set(await numbersOf(list))).toEqual(new Set([4 * RATE - 1]))
  })

  it('fails the chunk where replacing is not permitted', async () => {
    replace(false)
    await expect(encode(whole, plan.chunks[1] as Chunk, { pass: crashes(whole), isLast: true })).rejects.toThrow('SIGSEGV')
  })
})

describe.skipIf(isShort)('a chunk that the source ends in for the decoder', () => {
  /** Reads a file that ends within the chunk in the first pass alone. */
  const stops = (cut: string) => {
    let passes = 0
    return (pass: ChunkPass) => onePass(passes++ === 0 ? { ...pass, source: cut } : pass)
  }

  it('shows its last picture to its end when the source goes on behind it', async () => {
    replace(true)
    const cut = await damaged(7, 20)
    const { encoded } = await encode(await damaged(7, 12), plan.chunks[1] as Chunk, { pass: stops(cut) })
    expect(encoded.frames).toBe(8 * RATE)
    const list = await writePlaylist(join(scratch, 'stops.m3u8'), encoded.renditions[0]?.segments ?? [])
    const shown = await numbersOf(list)
    expect(shown.at(-1)).toBe(7 * RATE - 1)
    expect(shown.length).toBe(8 * RATE)
  })

  it('stays short when nothing follows', async () => {
    replace(true)
    const { encoded, damage } = await encode(await damaged(7, 20), plan.chunks[1] as Chunk)
    expect(encoded.frames).toBe(3 * RATE)
    expect(damage).toEqual([])
  })
})

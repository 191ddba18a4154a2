import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { hashFile } from '../../../platform/files/hash-file.ts'
import { differences, numberedFrames, play, writePlaylist } from '../../../testing/media/chunked.ts'
import { encodeFile, joinSegments } from '../../../testing/media/encoded-file.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { inputs, isShort } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import { planOf } from '../plan/plan-video.ts'
import { parseRate } from '../plan/segment-grid.ts'
import { readKeyFrames } from '../probe/key-frames.ts'
import { traceParameterSets } from '../probe/pixel-shape.ts'
import { copySource } from './copy-source.ts'
import type { EncodedSegment } from './encoded.ts'

provide({ BASE_URL: 'http://localhost' })
vi.setConfig({ testTimeout: 300_000 })
const never = new AbortController().signal
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-copy-'))
})
afterAll(() => rm(scratch, { recursive: true }))

const SECONDS = 26
/** Key frames where a scene might begin, besides those that the distance demands. */
const SCENES = '1.2,4.8,5.4,9.04,13.5,13.6,19.2'
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-profile:v', 'high', '-bf', '2', '-pix_fmt', 'yuv420p']

/** Returns a file of numbered frames of 640×360 with a tone. */
const source = (name: string, rate: string, more: string[] = []) => {
  const { frames, seconds } = parseRate(rate)
  return makeMediaFile(name, [
    ...numberedFrames(rate, SECONDS),
    ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`],
    ...['-vf', 'scale=640:360:flags=neighbor,setsar=1', ...H264, '-g', String(Math.round((4 * frames) / seconds))],
    ...['-force_key_frames', SCENES, '-c:a', 'aac', ...more],
  ])
}

/** Returns the MD5 of each packet of the picture, without access unit delimiters, which MPEG-TS requires. */
async function packetHashes(path: string, annexB: boolean): Promise<string[]> {
  const hashes: string[] = []
  const filters = `${annexB ? '' : 'h264_mp4toannexb,'}filter_units=remove_types=9`
  const onLine = (line: string) => line.startsWith('#') || hashes.push(line.split(',')[5]?.trim() ?? '')
  await ffmpeg(['-i', path, '-map', '0:v', '-c', 'copy', '-bsf:v', filters, '-f', 'framemd5', '-'], { onLine })
  return hashes
}

const listOf = (name: string, segments: readonly EncodedSegment[]) => writePlaylist(join(scratch, `${name}.m3u8`), segments)

const SOURCES: [name: string, rate: string][] = [
  ['copied.mkv', '15'],
  ['copied-ntsc.mp4', '24000/1001'],
]
const FASTER: typeof SOURCES = [
  ['copied.mp4', '25'],
  ['copied-faster.mp4', '30000/1001'],
  ['copied-faster.mkv', '24'],
]
describe.each(inputs(SOURCES, FASTER))('a standard source, %s at %s frames a second', (name, rate) => {
  it('is cut into the packets of the source, with which the other renditions are aligned', async () => {
    const file = await source(name, rate)
    const { plan, renditions } = await encodeFile(file, { targetQuality: '360p', scratch })
    expect(plan.copy).toMatchObject({ kept: true })
    expect(renditions.map(({ spec }) => spec.quality)).toEqual(['360p', '240p'])
    const [copied, ...encoded] = renditions as [(typeof renditions)[0], ...typeof renditions]
    expect(copied.codecs).toMatch(/^avc1\.4d[0-9a-f]{4}$/)

    const joined = await joinSegments(copied.segments)
    expect(await packetHashes(joined, true)).toEqual(await packetHashes(file, false))

    const { frames, seconds } = parseRate(rate)
    const starts = plan.copy?.starts.map((frame) => (frame * seconds) / frames) ?? []
    expect(starts.length).toBeGreaterThan(5)
    expect(new Set(starts.map((sec, at) => Math.round(((starts[at + 1] ?? SECONDS) - sec) * 10))).size).toBeGreaterThan(3)
    const top = await play(await listOf(`${name}-360p`, copied.segments))
    expect(top.warnings).toBe('')
    for (const { spec, segments } of encoded) {
      expect(segments.map(({ durationSec }) => durationSec)).toEqual(copied.segments.map(({ durationSec }) => durationSec))
      const wanted = { videoStream: 0, codec: 'h264', frameRate: frames / seconds }
      const { idrTimes } = await readKeyFrames(await joinSegments(segments), wanted, never)
      expect(idrTimes?.map(({ sec }) => Math.round(sec * 1_000))).toEqual(starts.map((sec) => Math.round(sec * 1_000)))
      const other = await play(await listOf(`${name}-${spec.quality}`, segments))
      expect(other.warnings).toBe('')
      expect(differences(other.frames, top.frames)).toEqual([])
      expect(Math.max(...other.times.map((sec, at) => Math.abs(sec - (top.times[at] as number))))).toBeLessThan(0.002)
    }
    // A player that changes from one to the other at each segment sees the same.
    const mixed = copied.segments.map((segment, at) => (at % 2 ? (encoded[0]?.segments[at] as EncodedSegment) : segment))
    const switched = await play(await listOf(`${name}-mixed`, mixed))
    expect(differences(switched.frames, top.frames)).toEqual([])
  })
})

it.skipIf(isShort)('yields the same bytes each time', async () => {
  const file = await source('copied.mkv', '15')
  const plan = await planOf(file, '360p', never)
  if (!plan.copy) throw new Error('nothing is copied')
  const hashes: string[][] = []
  for (let time = 0; time < 2; time++) {
    const folder = await mkdtemp(join(scratch, 'again-'))
    const { segments } = await copySource({ source: file, folder, plan, copy: plan.copy, signal: never })
    hashes.push(await Promise.all(segments.map(async ({ path }) => (await hashFile(path, never)).toString('hex'))))
  }
  expect(hashes[1]).toEqual(hashes[0])
})

it.each<[string, string[], boolean]>([
  ['closed groups', [], true],
  ['open groups', ['-x264-params', 'open-gop=1'], false],
  ['a gradual refresh', ['-x264-params', 'intra-refresh=1'], false],
  ['key frames 8 s apart', ['-g', '120', '-force_key_frames', '0'], false],
])('copies of sources with %s: %j', { tags: ['deep'] }, async (name, more, isCopied) => {
  const file = await source(`groups-${name.replaceAll(' ', '-')}.mp4`, '15', more)
  expect((await planOf(file, '360p', never)).copy !== undefined).toBe(isCopied)
})

it('does not keep a copy of pictures that change their size', { tags: ['deep'] }, async () => {
  const part = (size: string) =>
    makeMediaFile(`${size}.h264`, ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=15:duration=6`, ...H264, '-bf', '0', '-g', '30'])
  const parts = await Promise.all(['640x360', '320x180'].map(part))
  const joined = ['-fflags', '+genpts', '-r', '15', '-f', 'h264', '-i', `concat:${parts.join('|')}`]
  const file = await makeMediaFile('sizes.mkv', [...joined, '-c', 'copy'])
  const plan = await planOf(file, '360p', never)
  if (!plan.copy) throw new Error('nothing is copied')
  const folder = await mkdtemp(join(scratch, 'sizes-'))
  await expect(copySource({ source: file, folder, plan, copy: plan.copy, signal: never })).rejects.toThrow(
    /^The frame size or pixel format/,
  )
})

it('reads the beginning of a file alone for the shape of its pixels', { tags: ['deep'] }, async () => {
  const trace = await traceParameterSets(await source('shape.mp4', '25'), 0, never)
  expect(trace).toMatch(/aspect_ratio_idc .* = 1\n/)
  expect(Number(/ time=00:00:([\d.]+)/.exec(trace)?.[1])).toBeLessThan(SECONDS / 2)
})

it('neither reading nor copying has longer than 15 minutes, whatever the length of a video', { tags: ['deep'] }, async () => {
  const path = await source('copied.mkv', '15')
  const plan = await planOf(path, '360p', never)
  const limits: number[] = []
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms)
    return AbortSignal.abort(new DOMException('too late', 'TimeoutError'))
  })
  try {
    await expect(planOf(path, '360p', never)).rejects.toThrow('Reading this file takes longer than 15 minutes.')
    const copy = plan.copy as NonNullable<typeof plan.copy>
    const day = { ...plan, facts: { ...plan.facts, durationSec: 86_400 } }
    await expect(copySource({ source: path, folder: join(scratch, 'late'), plan: day, copy, signal: never })).rejects.toThrow(
      'Copying took too long.',
    )
  } finally {
    timeout.mockRestore()
  }
  expect(Math.max(...limits)).toBe(900_000)
})

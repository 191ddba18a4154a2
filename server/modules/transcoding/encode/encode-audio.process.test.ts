import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeJoined, plansOf, play, TINY_CHUNKS, writePlaylist } from '../../../testing/media/chunked.ts'
import { beeps, fastX264, flashes, onsets, playSound, whiteFrames } from '../../../testing/media/marked-media.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { inputs, isShort, rounds } from '../../../testing/media/rounds.ts'
import { provide } from '../../../testing/settings.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import { encodeAudio } from './encode-audio.ts'
import type { EncodedSegment } from './encoded.ts'

provide({ BASE_URL: 'http://localhost' })
const never = new AbortController().signal
/** Enough for four marks. */
const SECONDS = rounds(18, 30)
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-audio-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

async function audioOf(source: string, plan: TranscodePlan, position = 0): Promise<{ segments: EncodedSegment[]; list: string }> {
  const folder = await mkdtemp(join(scratch, 'track-'))
  const track = plan.facts.audio[position]
  if (!track) throw new Error('no such track')
  const { segments } = await encodeAudio({ source, folder, plan, track, signal: never, onProgress: () => {} })
  return { segments, list: await writePlaylist(join(folder, 'joined.m3u8'), segments) }
}

describe('encodeAudio', () => {
  const sources: [string, string, string[]][] = [
    ['an MP4', 'marked.mp4', [...flashes(SECONDS), ...beeps(SECONDS), ...fastX264, '-c:a', 'aac']],
    [
      'a Matroska file with a start offset',
      'marked.mkv',
      [...flashes(SECONDS), ...beeps(SECONDS), ...fastX264, '-c:a', 'pcm_s16le', '-output_ts_offset', '3.3'],
    ],
    [
      'a transport stream whose sound begins late',
      'late-sound.ts',
      [...flashes(SECONDS), '-itsoffset', '1.6', ...beeps(SECONDS - 1), ...fastX264, '-c:a', 'aac'],
    ],
    [
      'a transport stream whose picture begins late',
      'late-picture.ts',
      ['-itsoffset', '1.6', ...flashes(SECONDS - 1), ...beeps(SECONDS), ...fastX264, '-c:a', 'aac'],
    ],
  ]
  it.each(inputs(sources))('keeps the distance of sound and picture in %s', async (_name, file, args) => {
    const path = await makeMediaFile(file, args)
    const { chunked } = await plansOf(path, { chunkSizes: TINY_CHUNKS })
    expect(chunked.chunks.length > 2).toBe(!file.endsWith('.ts'))
    const joined = await encodeJoined(path, chunked, scratch)
    const { list } = await audioOf(path, chunked)
    const seen = whiteFrames(await play(joined.list))
    const heard = onsets(await playSound(list))
    expect(seen.length).toBeGreaterThan(3)
    // The last one of the longer stream has no counterpart.
    expect(Math.abs(heard.length - seen.length)).toBeLessThanOrEqual(1)
    const late = file === 'late-sound.ts' ? 1.6 : file === 'late-picture.ts' ? -1.6 : 0
    const distances = seen.slice(0, heard.length).map((time, at) => (heard[at] as number) - time - late)
    expect(Math.max(...distances) - Math.min(...distances)).toBeLessThan(0.005)
    // A transport stream does not state the 21 ms of AAC's first packet.
    expect(Math.max(...distances.map(Math.abs))).toBeLessThan(0.03)
  })

  it('yields continuous samples over all segments', async () => {
    const seconds = rounds(18, 50)
    const sine = ['-f', 'lavfi', '-i', `sine=frequency=500:sample_rate=48000:duration=${seconds}`, '-af', 'volume=6']
    const path = await makeMediaFile('sine.mkv', [...flashes(seconds), ...sine, ...fastX264, '-c:a', 'pcm_s16le'])
    const { single } = await plansOf(path)
    const { list, segments } = await audioOf(path, single)
    expect(segments.length).toBe(Math.ceil(seconds / 4))
    const { samples } = await playSound(list)
    expect(Math.abs(samples.length - seconds * 48_000)).toBeLessThan(3_000)
    // Each sample of a sine follows from the two before it; a click or a gap breaks the recurrence.
    const factor = 2 * Math.cos((2 * Math.PI * 500) / 48_000)
    const inner = samples.subarray(5_000, (seconds - 1) * 48_000)
    let worst = 0
    for (let at = 2; at < inner.length; at++)
      worst = Math.max(worst, Math.abs((inner[at] as number) - factor * (inner[at - 1] as number) + (inner[at - 2] as number)))
    expect(worst).toBeLessThan(0.02)
  })

  it.skipIf(isShort)('reports each segment once, in order, when its file and duration are complete', async () => {
    // Longer than the time between two reports of progress takes to encode.
    const seconds = rounds(60, 400)
    const path = await makeMediaFile('long-tone.mkv', [
      '-f',
      'lavfi',
      '-i',
      `color=size=64x64:rate=5:duration=${seconds}`,
      '-f',
      'lavfi',
      '-i',
      `sine=duration=${seconds}`,
      ...fastX264,
    ])
    const { single } = await plansOf(path)
    const track = single.facts.audio[0]
    if (!track) throw new Error('no sound')
    const reports: { sequence: number; shares: number }[] = []
    let shares = 0
    const folder = await mkdtemp(join(scratch, 'live-'))
    const onSegment = (sequence: number, segment: EncodedSegment) => {
      expect(existsSync(segment.path)).toBe(true)
      expect(segment.durationSec).toBeGreaterThan(0)
      reports.push({ sequence, shares })
    }
    const { segments } = await encodeAudio({
      source: path,
      folder,
      plan: single,
      track,
      signal: never,
      onProgress: () => shares++,
      onSegment,
    })
    expect(reports.map(({ sequence }) => sequence)).toEqual(segments.map((_, at) => at))
    // The first ones while others are still to come.
    expect(reports[0]?.shares).toBeLessThan(reports.at(-1)?.shares ?? 0)
  })

  it('extends sound that ends early, and turns a track without samples into silence', async () => {
    const tracks = ['-map', '0', '-map', '1', '-map', '2', '-bsf:a:1', 'noise=drop=1', '-c:a', 'aac']
    const tone = (seconds: number) => ['-f', 'lavfi', '-i', `sine=sample_rate=48000:duration=${seconds}`]
    const path = await makeMediaFile('ends.mkv', [...flashes(10), ...tone(6), ...tone(10), ...tracks, ...fastX264])
    const { single } = await plansOf(path)
    expect(single.facts.audio).toHaveLength(2)
    for (const position of [0, 1]) {
      const { list } = await audioOf(path, single, position)
      const { samples } = await playSound(list)
      expect(Math.abs(samples.length / 48_000 - 10)).toBeLessThan(0.1)
      expect(samples.subarray(7 * 48_000).reduce((most, sample) => Math.max(most, sample), 0)).toBeLessThan(0.001)
    }
  })
})

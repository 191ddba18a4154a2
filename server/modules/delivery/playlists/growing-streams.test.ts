import { expect, it } from 'vitest'
import { type GrowingPlan, growingStreams, type TaskResult } from './growing-streams.ts'

/** 26 s at 30 frames a second: segments of 5, 5, 5.5, 4 and 6.5 s, and two chunks. */
const STARTS = [0, 150, 300, 465, 585]
const FRAMES = 780
const plan = (starts = STARTS): GrowingPlan => ({
  facts: { frameRate: { text: '30', value: 30 }, audio: [{ language: 'en', name: 'English', isDefault: true }] },
  renditions: [
    { quality: '720p', width: 1280, height: 720, maxVideoRate: 2_800_000 },
    { quality: '360p', width: 640, height: 360, maxVideoRate: 800_000 },
  ],
  segmentSec: 4,
  chunks: [{ position: 0 }, { position: 1 }],
  copy: { starts, frames: FRAMES, peakRate: 4_000_000 },
})

const segments = (of: string, first: number, count: number) =>
  STARTS.slice(first, first + count).map((start, at): [string, number, number] => {
    return [`${of}${first + at}`, ((STARTS[first + at + 1] ?? FRAMES) - start) / 30, 1_000]
  })
const copy = (count: number): TaskResult => {
  return { kind: 'copy', position: 0, result: { codecs: 'avc1.640028', segments: segments('copy', 0, count) } }
}
const chunk = (position: 0 | 1, qualities: string[]): TaskResult => {
  const part = (quality: string) => ({
    codecs: 'avc1.64001f',
    segments: position === 0 ? segments(quality, 0, 2) : segments(quality, 2, 3),
  })
  return { kind: 'video', position, result: { renditions: Object.fromEntries(qualities.map((one) => [one, part(one)])) } }
}
const sound: TaskResult = { kind: 'audio', position: 0, result: { codecs: 'mp4a.40.2', segments: [['sound0', 4.01, 9]] } }

const stream = (results: TaskResult[], quality: string) =>
  growingStreams(plan(), results, '/').renditions.find((one) => one.quality === quality)

it('lists a copied rendition as far as it is copied, before any chunk is encoded', () => {
  expect(growingStreams(plan(), [sound], '/').renditions).toEqual([])
  const { renditions, audio } = growingStreams(plan(), [copy(2), sound], '/')
  expect(renditions.map(({ quality, seconds, bandwidth }) => [quality, seconds, bandwidth])).toEqual([['720p', 10, 4_400_000]])
  expect(audio).toHaveLength(1)
})

it('only ever appends to a copied rendition, also when chunks contain the one that replaces it', () => {
  const states = [
    [copy(1)],
    [copy(3)],
    [copy(3), chunk(0, ['720p', '360p'])],
    [copy(5), chunk(0, ['720p', '360p'])],
    [copy(5), chunk(0, ['720p', '360p']), chunk(1, ['720p', '360p'])],
  ]
  const lines = states.map((results) => stream(results, '720p')?.lines ?? '')
  for (const [at, text] of lines.entries()) expect(text.startsWith(lines[at - 1] ?? '')).toBe(true)
  expect(lines.at(-1)).toContain('copy4.ts')
  expect(stream(states.at(-1) as TaskResult[], '360p')?.seconds).toBe(FRAMES / 30)
})

it('lists what chunks encode once the copy was dropped, with its boundaries', () => {
  const { copy: planned, ...rest } = plan()
  const dropped = { ...rest, copy: { ...(planned as NonNullable<GrowingPlan['copy']>), dropped: true as const } }
  const { renditions } = growingStreams(dropped, [chunk(0, ['720p', '360p']), sound], '/')
  expect(renditions.map(({ quality, seconds }) => [quality, seconds])).toEqual([
    ['720p', 10],
    ['360p', 10],
  ])
})

it('states from the first response on a target duration that no segment will exceed', () => {
  const early = stream([copy(1)], '720p')
  expect(early?.targetDuration).toBe(7)
  expect(stream([copy(5), chunk(0, ['360p'])], '360p')?.targetDuration).toBe(7)
  // The segments of the sound keep their own length.
  expect(growingStreams(plan(), [copy(1), sound], '/').audio[0]?.targetDuration).toBe(5)
})

import { describe, expect, it } from 'vitest'
import { sourceFacts } from '../../../testing/media/source-facts.ts'
import { seeded } from '../../../testing/seeded.ts'
import { groupCollector, type KeyFrameMap } from '../probe/packet-groups.ts'
import type { SourceCoding, SourceFacts } from '../probe/probe.ts'
import { copyObstacle, MOST_KEY_FRAME_SEC, planCopy, segmentLengths } from './copy-plan.ts'
import type { RenditionSpec } from './ladder.ts'
import { encodedRenditions, planTranscode, segmentStart, type TranscodePlan } from './plan.ts'
import { parseRate, type Rate } from './segment-grid.ts'

const coding: SourceCoding = {
  codec: 'h264',
  profile: 'High',
  level: 40,
  pixelFormat: 'yuv420p',
  progressive: true,
  squarePixels: true,
  rotated: false,
}

const factsOf = (durationSec: number, rate = '30', changes: Partial<SourceFacts> = {}): SourceFacts =>
  sourceFacts(durationSec, rate, { width: 1920, height: 1080, coding, ...changes })

const CAP = 5_000_000
const renditions: RenditionSpec[] = [
  { quality: '1080p', width: 1920, height: 1080, maxVideoRate: CAP },
  { quality: '720p', width: 1280, height: 720, maxVideoRate: 2_800_000 },
]

interface Packet {
  frame: number
  isKey: boolean
  bytes: number
  isShown?: boolean
}

/** Returns packets at one size, with key frames at these frames and every second pair of others reordered, as B-frames are. */
function packetsOf(frames: number, keys: readonly number[], bytes = 10_000): Packet[] {
  const isKey = new Set(keys)
  const packets = Array.from({ length: frames }, (_, frame) => ({ frame, isKey: isKey.has(frame), bytes }))
  for (let at = 1; at + 1 < frames; at++) {
    const [one, next] = [packets[at], packets[at + 1]] as [Packet, Packet]
    if (at % 4 === 2 && !one.isKey && !next.isKey) [packets[at], packets[at + 1]] = [next, one]
  }
  return packets
}

/** Returns the times of a key frame that is decoded two frames before it is shown. */
const keyAt = (sec: number) => ({ sec, dtsSec: sec - 2 / 30 })

/** Returns what reading these packets yields. `timeOf` returns the time of a frame. */
function mapOf(packets: readonly Packet[], rate: Rate, timeOf = (frame: number) => (frame * rate.seconds) / rate.frames): KeyFrameMap {
  const collector = groupCollector(rate.frames / rate.seconds)
  for (const { frame, isKey, isShown = true, bytes } of packets) collector.add({ ...keyAt(timeOf(frame)), isKey, isShown, bytes })
  const keys = packets.filter(({ isKey }) => isKey).map(({ frame }) => timeOf(frame))
  const groups = collector.finish()
  return {
    keyFrames: keys.map((sec, at) => ({ sec, nextSec: keys[at + 1] ?? Number.POSITIVE_INFINITY })),
    packets: packets.length,
    endSec: timeOf(packets.length),
    seekable: true,
    ...(groups && { groups }),
  }
}

const THIRTY = parseRate('30')
const everySecond = (seconds: number, gap = 2) => Array.from({ length: Math.ceil(seconds / gap) }, (_, at) => Math.round(at * gap * 30))
const timesOf = (keys: readonly number[]) => keys.map((frame) => keyAt(frame / 30))

/** Plans 60 s at 30 frames a second from packets. */
const copyOf = (packets: readonly Packet[], idrFrames: readonly number[], timeOf?: (frame: number) => number, map = {}) =>
  planCopy({
    facts: factsOf(60),
    top: renditions[0] as RenditionSpec,
    keyFrames: { ...mapOf(packets, THIRTY, timeOf), ...map },
    idrTimes: idrFrames.map((frame) => keyAt((timeOf ?? ((one: number) => one / 30))(frame))),
  })

describe('copyObstacle', () => {
  it('finds none in a standard source', () => {
    expect(copyObstacle(factsOf(60), renditions)).toBeUndefined()
    for (const profile of ['High', 'Main', 'Baseline', 'Constrained Baseline'])
      expect(copyObstacle(factsOf(60, '30', { coding: { ...coding, profile } }), renditions)).toBeUndefined()
    expect(copyObstacle(factsOf(60, '30', { container: 'matroska,webm' }), renditions)).toBeUndefined()
  })

  it.each<[string, Partial<SourceFacts>]>([
    ['codec', { coding: { ...coding, codec: 'hevc' } }],
    ['codec', { coding: undefined as never }],
    ['profile', { coding: { ...coding, profile: 'High 10' } }],
    ['profile', { coding: { ...coding, profile: 'High 4:2:2' } }],
    ['level', { coding: { ...coding, level: 51 } }],
    ['pixel format', { coding: { ...coding, pixelFormat: 'yuv420p10le' } }],
    ['pixel format', { coding: { ...coding, pixelFormat: 'yuvj420p' } }],
    ['fields', { coding: { ...coding, progressive: false } }],
    ['pixel shape', { coding: { ...coding, squarePixels: false } }],
    ['colors', { coding: { ...coding, otherColors: true } }],
    ['rotation', { coding: { ...coding, rotated: true } }],
    ['dynamic range', { hdr: 'hlg' }],
    ['container', { container: 'mpegts' }],
    ['container', { container: 'avi' }],
    ['length', { durationSec: 4 }],
    ['size', { width: 2560, height: 1440 }],
    ['target', { width: 1366, height: 768 }],
    ['picture ends early', { pictureEndsEarlySec: 0.5 }],
  ])('names the %s of a source that is not: %j', (obstacle, changes) => {
    expect(copyObstacle(factsOf(60, '30', changes), renditions)).toBe(obstacle)
  })

  it('does not copy what would be the only rendition', () => {
    expect(copyObstacle(factsOf(60), renditions.slice(0, 1))).toBe('single rendition')
  })
})

describe('planCopy', () => {
  const keys = everySecond(60)
  const packets = packetsOf(1_800, keys)

  it('cuts at the key frames next to each 4 s', () => {
    expect(copyOf(packets, keys)).toEqual({
      starts: everySecond(60, 4),
      frames: 1_800,
      lateSec: 0,
      peakRate: 10_000 * 8 * 30,
      kept: true,
    })
    const five = everySecond(60, 5)
    expect(copyOf(packetsOf(1_800, five), five)?.starts).toEqual(five)
    const three = everySecond(60, 3)
    expect(copyOf(packetsOf(1_800, three), three)?.starts).toEqual(three)
  })

  it('takes a first frame that is late by less than 0.1 s, and times rounded to milliseconds, for regular', () => {
    const rounded = copyOf(packets, keys, (frame) => Math.round((frame / 30 + 0.021) * 1_000) / 1_000)
    expect(rounded?.starts).toEqual(everySecond(60, 4))
    expect(rounded?.lateSec).toBe(0.021)
  })

  it('passes over key frames at which decoding cannot begin', () => {
    expect(copyOf(packetsOf(1_800, everySecond(60, 1)), everySecond(60, 5))?.starts).toEqual(everySecond(60, 5))
  })

  it.each<[string, ReturnType<typeof copyOf>]>([
    ['key frames more than 5 s apart', copyOf(packetsOf(1_800, everySecond(60, 6)), everySecond(60, 6))],
    ['a long end without key frames', copyOf(packetsOf(1_800, keys), keys.slice(0, -3))],
    ['no key frame at which decoding can begin', copyOf(packets, [])],
    ['a first key frame at which it cannot', copyOf(packets, keys.slice(1))],
    ['a missing frame', copyOf(packets.toSpliced(700, 1), keys)],
    ['frames that an edit list leaves out', copyOf(packets.with(-1, { ...(packets.at(-1) as Packet), isShown: false }), keys)],
    ['a frame twice', copyOf(packets.toSpliced(700, 0, packets[699] as Packet), keys)],
    [
      'frames of an open group, which precede their key frame',
      copyOf(packets.with(61, { ...(packets[61] as Packet), frame: 59 }).with(59, { ...(packets[59] as Packet), frame: 61 }), keys),
    ],
    ['a rate that varies', copyOf(packets, keys, (frame) => frame / 30 + (frame % 7 === 3 ? 0.01 : 0))],
    ['another rate than the stated one', copyOf(packets, keys, (frame) => frame / 29)],
    ['a picture that begins late', copyOf(packets, keys, (frame) => frame / 30 + 0.12)],
    ['timestamps that are not in order', copyOf(packets, keys, undefined, { seekable: false })],
    ['a rate of 1.6 times the limit', copyOf(packetsOf(1_800, keys, (CAP * 1.6) / 8 / 30), keys)],
  ])('refuses %s', (_name, copy) => {
    expect(copy).toBeUndefined()
  })

  it('keeps a copy whose peak is within the limit of the rendition, and replaces others', () => {
    const inside = copyOf(packetsOf(1_800, keys, CAP / 8 / 30), keys)
    expect(inside).toMatchObject({ peakRate: CAP, kept: true })
    expect(copyOf(packetsOf(1_800, keys, (CAP * 1.4) / 8 / 30), keys)).toMatchObject({ kept: false })
    const peak = packets.map((packet) => ({ ...packet, bytes: packet.frame < 120 ? CAP / 60 : 100 }))
    expect(copyOf(peak, keys)).toMatchObject({ kept: false })
  })
})

const RATES = ['24000/1001', '24', '25', '30000/1001', '30', '48', '50', '60000/1001', '60', '13']

/** Returns what is wrong with a plan that copies: segments that do not tile the video, and chunks that do not begin with one. */
function faultsOf(plan: TranscodePlan, frames: number, idr: ReadonlySet<number>): string[] {
  const { copy, chunks } = plan
  if (!copy) return ['nothing is copied']
  const faults: string[] = []
  const lengths = segmentLengths(copy, parseRate(plan.facts.frameRate.text))
  if (copy.starts[0] !== 0 || copy.starts.some((start) => !idr.has(start))) faults.push('a segment does not begin with a key frame')
  if (lengths.some((seconds) => !(seconds > 0 && seconds <= MOST_KEY_FRAME_SEC + 1.5 + 0.1))) faults.push(`lengths ${lengths}`)
  let next = 0
  for (const [at, { startFrame, firstSegment, expectedFrames, frames: stated, seek }] of chunks.entries()) {
    if (startFrame !== next || startFrame !== segmentStart(plan, firstSegment)) faults.push(`chunk ${at} begins at ${startFrame}`)
    if ((stated === null) !== (at === chunks.length - 1)) faults.push(`chunk ${at} has ${stated} frames`)
    const keySec = seek?.keyFrameSec ?? 0
    const startSec = startFrame / plan.facts.frameRate.value
    if (Math.abs(keySec - startSec - (seek ? copy.lateSec : 0)) > 0.003) faults.push(`chunk ${at} is sought at ${keySec}`)
    next = startFrame + expectedFrames
  }
  if (next !== frames) faults.push(`${next} frames instead of ${frames}`)
  return faults
}

describe('planTranscode with a copy', () => {
  it('tiles every video with segments that begin with key frames, and chunks with segments', () => {
    const random = seeded(59)
    const faults: string[] = []
    for (let round = 0; round < 120; round++) {
      const text = RATES[Math.floor(random() * RATES.length)] as string
      const rate = parseRate(text)
      const perSec = rate.frames / rate.seconds
      const total = Math.round((4.1 + random() ** 3 * 900) * perSec)
      const idr: number[] = [0]
      for (let frame = 0; frame < total - 5 * perSec; ) {
        frame += Math.max(1, Math.floor((0.05 + random() * 4.9) * perSec))
        idr.push(frame)
      }
      const late = random() < 0.3 ? 0.099 * random() : 0
      const timeOf = (frame: number) => (frame * rate.seconds) / rate.frames + late
      const packets = packetsOf(total, idr, 1_000)
      const facts = factsOf(total / perSec, text)
      const plan = planTranscode({
        facts,
        renditions,
        keyFrames: mapOf(packets, rate, timeOf),
        idrTimes: idr.map((frame) => keyAt(timeOf(frame))),
      })
      faults.push(...faultsOf(plan, total, new Set(idr)).map((fault) => `round ${round}, ${total} frames at ${text}: ${fault}`))
    }
    expect(faults.slice(0, 10)).toEqual([])
  })

  it('encodes the other renditions alone where the copy stays, in chunks as long as otherwise', () => {
    const keys = everySecond(600, 2.5)
    const input = { facts: factsOf(600), renditions, keyFrames: mapOf(packetsOf(18_000, keys), THIRTY), idrTimes: timesOf(keys) }
    const plan = planTranscode(input)
    expect(encodedRenditions(plan).map(({ quality }) => quality)).toEqual(['720p'])
    const lengths = plan.chunks.map(({ expectedFrames }) => expectedFrames / 30)
    expect(lengths.slice(0, 4)).toEqual([5, 10, 15, 30])
    expect(lengths.slice(4, -4).every((seconds) => seconds > 44 && seconds < 52)).toBe(true)
    expect(lengths.slice(-4)).toEqual(lengths.slice(-4).toSorted((a, b) => b - a))
    const costly = { ...input, keyFrames: mapOf(packetsOf(18_000, keys, 25_000), THIRTY) }
    expect(encodedRenditions(planTranscode(costly))).toEqual(renditions)
  })

  it('survives JSON', () => {
    const keys = everySecond(60)
    const plan = planTranscode({
      facts: factsOf(60),
      renditions,
      keyFrames: mapOf(packetsOf(1_800, keys), THIRTY),
      idrTimes: timesOf(keys),
    })
    expect(JSON.parse(JSON.stringify(plan)).copy).toEqual(plan.copy)
  })
})

import { describe, expect, it } from 'vitest'
import { sourceFacts } from '../../../testing/media/source-facts.ts'
import { seeded } from '../../../testing/seeded.ts'
import type { KeyFrame, KeyFrameMap } from '../probe/packet-groups.ts'
import type { SourceFacts } from '../probe/probe.ts'
import { type Chunk, planTranscode, type TranscodePlan } from './plan.ts'
import { firstFrameOf, lateBySec, parseRate, type Rate } from './segment-grid.ts'

/** Key frames at these times; decoding of each begins `earlySec` before it is shown. */
function keyFramesAt(times: readonly number[], endSec: number, earlySec = 0): KeyFrameMap {
  const keyFrames: KeyFrame[] = times.map((sec, at) => ({ sec, nextSec: (times[at + 1] ?? Number.POSITIVE_INFINITY) - earlySec }))
  return { keyFrames, packets: 1_000, endSec, seekable: true }
}

const every = (seconds: number, endSec: number) =>
  keyFramesAt(
    Array.from({ length: Math.ceil(endSec / seconds) }, (_, at) => at * seconds),
    endSec,
  )

const plan = (durationSec: number, rate: string, keyFrames?: KeyFrameMap, changes?: Partial<SourceFacts>) =>
  planTranscode({ facts: sourceFacts(durationSec, rate, changes), renditions: [], ...(keyFrames ? { keyFrames } : {}) })

const startsOf = ({ chunks }: TranscodePlan) => chunks.map(({ firstSegment }) => firstSegment * 4)
const lengthsOf = (starts: number[]) => starts.slice(1).map((start, at) => start - (starts[at] as number))

const RATES = ['24000/1001', '24', '25', '30000/1001', '30', '48', '48000/1001', '50', '60000/1001', '60', '5', '7', '13', '49', '59']

/** Returns what is wrong with chunks that shall cover [0, all frames) in whole segments. */
function faultsOf(chunks: readonly Chunk[], rate: Rate, durationSec: number): string[] {
  const faults: string[] = []
  let frame = 0
  for (const [at, chunk] of chunks.entries()) {
    if (chunk.position !== at) faults.push(`chunk ${at} has position ${chunk.position}`)
    if (chunk.startFrame !== frame) faults.push(`chunk ${at} begins at ${chunk.startFrame} instead of ${frame}`)
    if (chunk.startFrame !== firstFrameOf(chunk.firstSegment, rate)) faults.push(`chunk ${at} begins within a segment`)
    if ((chunk.frames === null) !== (at === chunks.length - 1)) faults.push(`chunk ${at} has ${chunk.frames} frames`)
    if (chunk.expectedFrames < 1 || (chunk.frames ?? chunk.expectedFrames) !== chunk.expectedFrames)
      faults.push(`chunk ${at} expects wrong`)
    if (!cutsOnce(chunk, rate)) faults.push(`chunk ${at} is cut at wrong key frames`)
    frame += chunk.expectedFrames
  }
  if (frame !== Math.max(1, Math.round((durationSec * rate.frames) / rate.seconds))) faults.push(`${frame} frames in total`)
  return faults
}

/** Returns whether the muxer, whose cuts are multiples of one length from the chunk's first frame, cuts at the first key frame of each segment. */
function cutsOnce({ firstSegment, startFrame, expectedFrames }: Chunk, rate: Rate): boolean {
  const late = lateBySec(firstSegment, rate)
  const cut = 4 - late - (late > 0 ? 0.00005 : 0)
  const timeOf = (frame: number) => ((frame - startFrame) * rate.seconds) / rate.frames
  for (let at = 1; firstFrameOf(firstSegment + at, rate) < startFrame + expectedFrames; at++) {
    const keyBefore = Math.ceil((((firstSegment + at) * 4 - 2) * rate.frames) / rate.seconds)
    if (cut * at > timeOf(firstFrameOf(firstSegment + at, rate)) + 1e-9 || cut * at <= timeOf(keyBefore)) return false
  }
  return true
}

/** Returns the chunks whose key frame is shown after their first frame, or whose seek may begin at a later key frame. */
function seekFaults(chunks: readonly Chunk[], source: { interlaced: boolean; keyFrames: KeyFrameMap; text: string }): string[] {
  const { frames, seconds } = parseRate(source.text)
  const known = new Map(source.keyFrames.keyFrames.map((one) => [one.sec, one]))
  return chunks
    .filter(({ seek, startFrame }) => {
      if (!seek) return false
      const shown = Math.floor((seek.keyFrameSec * frames) / seconds + 0.5)
      return shown > startFrame - (source.interlaced ? 4 : 0) || !(seek.sec < (known.get(seek.keyFrameSec)?.nextSec ?? 0))
    })
    .map(({ position }) => `chunk ${position} is sought wrongly`)
}

describe('planTranscode', () => {
  it('divides every video exactly at the segments of one pass', () => {
    const random = seeded(17)
    const faults: string[] = []
    for (let round = 0; round < 400; round++) {
      const text = RATES[Math.floor(random() * RATES.length)] as string
      const durationSec = 0.1 + random() ** 2 * 3_000
      const gap = 0.5 + random() ** 2 * 30
      const times: number[] = []
      for (let sec = random() < 0.2 ? random() * 20 : 0; sec < durationSec; sec += gap * (0.2 + random() * 1.6)) times.push(sec)
      const interlaced = random() < 0.2
      const held = random() < 0.1 ? random() * 500 : 0
      const keyFrames = { ...keyFramesAt(times, durationSec, random() * 0.2), seekable: random() < 0.95 }
      const { chunks } = plan(durationSec + held, text, keyFrames, { interlaced, pictureEndsEarlySec: held })
      const wrong = [...faultsOf(chunks, parseRate(text), durationSec + held), ...seekFaults(chunks, { interlaced, keyFrames, text })]
      faults.push(...wrong.map((fault) => `${durationSec} s at ${text}, round ${round}: ${fault}`))
    }
    expect(faults.slice(0, 10)).toEqual([])
  })

  it('begins with short chunks, goes on with chunks of 32 to 60 s, and ends with short ones', () => {
    const lengths = lengthsOf([...startsOf(plan(600, '30', every(2, 600))), 600])
    expect(lengths.slice(0, 4)).toEqual([4, 8, 16, 32])
    expect(lengths.slice(-3)).toEqual([32, 16, 12])
    expect(lengths.slice(4, -3).every((seconds) => seconds >= 32 && seconds <= 60)).toBe(true)
  })

  it.each([
    ['10 s', 10],
    ['2 s', 2],
    ['8.33 s', 250 / 30],
    ['5 s', 5],
  ])('spends at most 5 %% of a video on run-up with key frames every %s', (_name, gap) => {
    const { chunks } = plan(600, '30', every(gap, 600))
    const runUp = chunks.reduce((sum, { startFrame, seek }) => sum + (seek ? startFrame / 30 - seek.keyFrameSec : 0), 0)
    expect(runUp / 600).toBeLessThanOrEqual(0.05)
  })

  it('makes chunks longer where key frames are far apart', () => {
    const starts = startsOf(plan(1_200, '25', every(130, 1_200)))
    expect(starts.length).toBeGreaterThan(4)
    // Each begins within a segment after a key frame.
    for (const start of starts.slice(3)) expect(start % 130).toBeLessThanOrEqual(4)
  })

  it('lets a short video with few key frames be watched after its first segment', () => {
    expect(startsOf(plan(30, '30', every(250 / 30, 30)))).toEqual([0, 4])
    // The rest of a longer one would keep its viewers waiting.
    expect(startsOf(plan(600, '30', every(599, 600)))).toEqual([0])
  })

  it.each<[string, TranscodePlan]>([
    ['short', plan(20, '30', every(2, 20))],
    ['in a transport stream', plan(600, '30', every(2, 600), { container: 'mpegts' })],
    ['not seekable', plan(600, '30', { ...every(2, 600), seekable: false })],
    ['of one group', plan(600, '30', keyFramesAt([0], 600))],
    ['without a map', plan(600, '30')],
  ])('makes one chunk of a video that is %s', (_name, { chunks }) => {
    expect(chunks).toHaveLength(1)
    expect(chunks[0]).toMatchObject({ startFrame: 0, frames: null, firstSegment: 0, seek: null })
  })

  it('survives JSON', () => {
    const made = plan(600, '30000/1001', every(3, 600))
    expect(JSON.parse(JSON.stringify(made))).toEqual(JSON.parse(JSON.stringify(made)))
    expect(JSON.parse(JSON.stringify(made)).chunks).toEqual(made.chunks)
  })
})

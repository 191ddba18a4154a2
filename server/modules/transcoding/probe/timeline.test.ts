import { describe, expect, it } from 'vitest'
import { type StreamTimes, timesCollector } from './stream-times.ts'
import { timelineOf } from './timeline.ts'

type Packet = [sec: number, durationSec: number]
const every = (stepSec: number, from: number, to: number): Packet[] =>
  Array.from({ length: Math.round((to - from) / stepSec) }, (_, at) => [from + at * stepSec, stepSec])
const frames = (from: number, to: number) => every(0.04, from, to)
const sound = (from: number, to: number) => every(0.032, from, to)

function times(packets: readonly Packet[], jumpSec = 1): StreamTimes {
  const collector = timesCollector(jumpSec)
  for (const [sec, durationSec] of packets) collector.add(sec, durationSec)
  return collector.finish()
}
const timeline = (picture: readonly Packet[], ...sounds: Packet[][]) =>
  timelineOf(
    times(picture),
    sounds.map((one) => times(one)),
  )
/** Returns the packets, one of them later by some seconds. */
const moved = (packets: Packet[], at: number, bySec: number): Packet[] =>
  packets.map(([sec, durationSec], index) => (index === at ? [sec + bySec, durationSec] : [sec, durationSec]))
const rounded = (value: number | undefined) => Math.round((value ?? Number.NaN) * 100) / 100

it('timesCollector keeps little of a stream in which each packet has another time', () => {
  const found = times(Array.from({ length: 300_000 }, (_, at) => [10 * (at % 5) + 100 * at, 0]))
  expect(found.packets).toBe(300_000)
  expect(found.runs).toHaveLength(100_000)
  expect(found.runs.at(-1)?.lastSec).toBe(10 * 4 + 100 * 299_999)
})

describe('timelineOf', () => {
  it('returns where picture and sound begin and end', () => {
    const found = timeline(frames(1.6, 12), sound(0, 12), sound(0, 4))
    expect(found).toMatchObject({ originSec: 0, isBounded: false, backSec: undefined })
    expect([found?.picture.startSec, found?.picture.endSec].map(rounded)).toEqual([1.6, 12])
    expect(found?.sounds.map((one) => rounded(one?.endSec))).toEqual([12, 4])
  })

  it('counts from the first picture or sound', () => {
    const found = timeline(frames(21.02, 33.02), sound(21, 33))
    expect([found?.originSec, found?.picture.startSec, found?.picture.endSec].map(rounded)).toEqual([21, 0.02, 12.02])
  })

  it.each<[string, number, number]>([
    ['in the middle, an hour late', 120, 3_600],
    ['in the middle, within the video', 120, 5],
    ['in the middle, early', 200, -6],
    ['of the first frame, late', 0, 90],
    ['of the last frame, late', 299, 90],
    ['of the last frame, early', 299, -3],
  ])('leaves out a wrong time %s, of the picture or of the sound', (_name, at, bySec) => {
    const picture = timeline(moved(frames(0, 12), at, bySec), sound(0, 12))
    expect(picture?.picture.strays.map(rounded)).toEqual([rounded(at * 0.04 + bySec)])
    expect(rounded(picture?.picture.endSec)).toBeGreaterThan(11.9)
    expect(rounded(picture?.picture.endSec)).toBeLessThanOrEqual(12)
    expect(picture).toMatchObject({ originSec: 0, isBounded: true })
    const heard = timeline(frames(0, 9.6), moved(sound(0, 9.6), at, bySec))
    expect(heard?.sounds[0]?.strays.map(rounded)).toEqual([rounded(at * 0.032 + bySec)])
    expect(rounded(heard?.sounds[0]?.endSec)).toBeCloseTo(9.6, 1)
    expect(heard).toMatchObject({ isBounded: false })
  })

  it('counts from the second frame when the time of the first is early', () => {
    const found = timeline(moved(frames(90, 102), 0, -90), sound(90, 102))
    expect([found?.originSec, found?.picture.endSec].map(rounded)).toEqual([90, 12])
    expect(found?.picture.strays).toEqual([0])
  })

  it.each<[string, number]>([
    ['a picture', 0],
    ['a packet of sound', 1],
  ])('ends with the others where %s before a wrong time is stated to last until then', (_name, at) => {
    const long = ([picture, heard]: [Packet[], Packet[]]): [Packet[], Packet[]] => {
      const packets = [picture, heard][at] as Packet[]
      packets.splice(-1, 1, [packets.at(-1)?.[0] ?? 0, 90])
      packets.push([102, 0.04])
      return [picture, heard]
    }
    const found = timeline(...long([frames(0, 12), sound(0, 12)]))
    expect(Math.max(found?.picture.endSec ?? 99, found?.sounds[0]?.endSec ?? 99)).toBeLessThan(12.1)
  })

  it('keeps the pauses of a recording of a screen, and frames reordered around them', () => {
    const bursts: Packet[] = [...frames(0, 2.96), [13, 0.04], [2.96, 10], [12.96, 0.04], ...frames(13.04, 15), [40, 0.04]]
    const found = timeline(bursts, sound(0, 40.04))
    expect(found?.picture).toMatchObject({ strays: [], endSec: 40.04 })
    expect(found?.isBounded).toBe(false)
    // Nothing tells that the last frame is wrong.
    expect(timeline(bursts)?.picture).toMatchObject({ strays: [], endSec: 40.04 })
  })

  it('shows the last picture of a slide show for as long as the others', () => {
    const found = timelineOf(times(every(15, 0, 90), 300), [times(sound(0, 40))])
    expect(found?.picture).toMatchObject({ strays: [], endSec: 90 })
    expect(found?.isBounded).toBe(false)
  })

  it('takes a last frame without sound for wrong a minute after all others', () => {
    expect(timeline([...frames(0, 12), [30, 0.04]])?.picture).toMatchObject({ strays: [], endSec: 30.04 })
    expect(timeline([...frames(0, 12), [102, 0.04]])?.picture.strays).toEqual([102])
  })

  it('reports where the times of the picture go back for good', () => {
    expect(rounded(timeline([...frames(0, 6), ...frames(0, 6)], sound(0, 12))?.backSec)).toBe(5.96)
    expect(timeline(frames(0, 12), [...sound(0, 6), ...sound(0, 6)])?.backSec).toBeUndefined()
  })

  it('reports where a program moved all packets behind a wrong time to that time', () => {
    const moved: Packet[] = [...frames(0, 6), ...every(0.00008, 96, 96.012)]
    expect(rounded(timeline(moved, sound(0, 12))?.atOnceSec)).toBe(5.96)
    expect(timeline(frames(0, 12), [...sound(0, 6), ...Array.from({ length: 200 }, (): Packet => [96, 0.032])])?.atOnceSec).toBeCloseTo(
      6,
      1,
    )
    // After a pause, a burst.
    expect(timeline([...frames(0, 6), ...frames(96, 96.2)], sound(0, 97))?.atOnceSec).toBeUndefined()
  })

  it('knows a track without packets, and no picture', () => {
    expect(timeline(frames(0, 12), [])?.sounds).toEqual([undefined])
    expect(timeline([], sound(0, 12))).toBeUndefined()
  })
})

describe('timesCollector', () => {
  it('measures the usual distance of frames in the order of showing', () => {
    const reordered = frames(0, 6).flatMap((one, at, all) => (at % 2 === 0 ? [all[at + 1] ?? one, one] : []))
    expect(times(reordered).frameSec).toBeCloseTo(0.04, 4)
    // Milliseconds of Matroska.
    const rounded = Array.from({ length: 300 }, (_, at): Packet => [Math.round((at * 1_000) / 60) / 1_000, 0.016])
    expect(1 / (times(rounded).frameSec ?? 0)).toBeCloseTo(60, 1)
    expect(times([...frames(0, 3), ...frames(13, 15), ...frames(23, 23.2)]).frameSec).toBeCloseTo(0.04, 4)
  })

  it('measures none where most frames have another distance', () => {
    // A movie on television: three frames at 30 a second, then a longer one.
    const varying = Array.from({ length: 300 }, (_, at): Packet => [Math.floor((at * 5) / 4) / 30, 1 / 30])
    expect(times(varying).frameSec).toBeUndefined()
    expect(times(every(5, 0, 100), 100).frameSec).toBeUndefined()
  })
})

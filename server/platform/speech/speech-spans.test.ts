import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SAMPLE_RATE } from './pcm.ts'
import { LevelMeter, speechSpans } from './speech-spans.ts'
import type { Span } from './words.ts'

type Sound = (sec: number) => number
const TAU = 2 * Math.PI
const tone =
  (hertz: number, loud = 0.3): Sound =>
  (sec) =>
    loud * Math.sin(TAU * hertz * sec)
/** Repeatable noise. */
const noise = (loud: number): Sound => {
  let state = 1
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return loud * (state / 1_073_741_824 - 1)
  }
}
/** A voice: harmonics of 120 Hz in syllables, four a second. */
const voice =
  (loud = 0.3): Sound =>
  (sec) =>
    loud * Math.max(0, Math.sin(TAU * 4 * sec)) * [1, 2, 3, 5].reduce((sum, one) => sum + Math.sin(TAU * 120 * one * sec) / (one + 1), 0)
const silence: Sound = () => 0
const mix =
  (...sounds: Sound[]): Sound =>
  (sec) =>
    sounds.reduce((sum, sound) => sum + sound(sec), 0)

function spansOf(...parts: [sound: Sound, sec: number][]): Span[] {
  const meter = new LevelMeter()
  for (const [sound, sec] of parts)
    meter.add(Float32Array.from({ length: Math.round(sec * SAMPLE_RATE) }, (_, at) => sound(at / SAMPLE_RATE)))
  return speechSpans(meter.result())
}

describe('nobody speaks in', () => {
  it.each<[string, [Sound, number][]]>([
    ['nothing', []],
    ['silence', [[silence, 20]]],
    ['noise', [[noise(0.2), 20]]],
    ['a tone', [[tone(440), 20]]],
    ['hum with hiss', [[mix(tone(50, 0.2), noise(0.01)), 20]]],
    ['a constant offset', [[() => 0.5, 5]]],
    [
      'a tone that begins and ends',
      [
        [silence, 30],
        [tone(1_000), 5],
        [silence, 30],
      ],
    ],
    [
      'noise that begins and ends',
      [
        [silence, 30],
        [noise(0.3), 5],
        [silence, 30],
      ],
    ],
    [
      'a click',
      [
        [silence, 5],
        [noise(0.9), 0.03],
        [silence, 5],
      ],
    ],
    ['a voice nobody can hear', [[voice(0.0005), 10]]],
  ])('%s', (_, parts) => expect(spansOf(...parts)).toEqual([]))
})

describe('somebody speaks', () => {
  it('where a voice is, with a margin', () => {
    const spans = spansOf([silence, 5], [voice(), 4], [silence, 3], [voice(), 2], [silence, 5])
    expect(spans).toHaveLength(2)
    for (const [at, [fromSec, toSec]] of [
      [5, 9],
      [12, 14],
    ].entries()) {
      expect(spans[at]?.fromSec).toBeLessThanOrEqual((fromSec as number) - 0.1)
      expect(spans[at]?.fromSec).toBeGreaterThan((fromSec as number) - 0.5)
      expect(spans[at]?.toSec).toBeGreaterThan((toSec as number) - 0.2)
      expect(spans[at]?.toSec).toBeLessThan((toSec as number) + 0.5)
    }
  })

  it.each([
    ['quietly', voice(0.01), silence],
    ['over noise', mix(voice(), noise(0.02)), noise(0.02)],
    ['over hum', mix(voice(), tone(50, 0.3)), tone(50, 0.3)],
    ['over music that is quieter', mix(voice(), tone(330, 0.02)), tone(330, 0.02)],
  ])('%s', (_, speaking, around) => {
    const [span, ...others] = spansOf([around, 6], [speaking, 8], [around, 6])
    expect(others).toEqual([])
    expect(span?.fromSec).toBeGreaterThan(5.4)
    expect(span?.fromSec).toBeLessThanOrEqual(6.1)
    expect(span?.toSec).toBeGreaterThan(13.7)
    expect(span?.toSec).toBeLessThan(14.6)
  })

  it('without a pause for a minute', () => expect(spansOf([voice(), 60])).toEqual([{ fromSec: 0, toSec: expect.closeTo(60, 0) }]))
  it('in one short word', () => expect(spansOf([silence, 5], [voice(), 0.12], [silence, 5])).toHaveLength(1))
})

it('levels do not depend on the pieces in which audio comes', () => {
  const pcm = Float32Array.from({ length: 5_000 }, (_, at) => voice()(at / SAMPLE_RATE))
  const whole = new LevelMeter()
  whole.add(pcm)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 10 }), (cuts) => {
      const pieces = new LevelMeter()
      let at = 0
      for (const length of [...cuts, pcm.length]) {
        pieces.add(pcm.subarray(at, at + length))
        at = Math.min(pcm.length, at + length)
      }
      expect(pieces.result()).toEqual(whole.result())
    }),
  )
})

it('spans are in order, apart, and within the track, whatever the levels are', () => {
  const levels = fc.array(fc.float({ min: -100, max: 0, noNaN: true }), { maxLength: 3_000 }).map((list) => Float32Array.from(list))
  fc.assert(
    fc.property(levels, (given) => {
      let at = -1
      for (const { fromSec, toSec } of speechSpans(given)) {
        expect(fromSec).toBeGreaterThan(at)
        expect(toSec).toBeGreaterThan(fromSec)
        at = toSec
      }
      expect(at).toBeLessThanOrEqual(given.length / 50 + 1e-9)
    }),
  )
})

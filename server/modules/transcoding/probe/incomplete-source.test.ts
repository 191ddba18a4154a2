import { expect, it } from 'vitest'
import type { TranscodePlan } from '../plan/plan.ts'
import { refuseIncomplete } from './incomplete-source.ts'

const chunks = [0, 1, 2].map((position) => ({
  position,
  startFrame: position * 1_200,
  frames: position === 2 ? null : 1_200,
  expectedFrames: 1_200,
  firstSegment: position * 10,
  seek: null,
}))
/** A plan of three chunks of 40 s with a track of sound. */
const plan = (endsEarlySec = 0) =>
  ({
    facts: { durationSec: 120, frameRate: { text: '30', value: 30 }, audio: [{ endsEarlySec }] },
    chunks,
  }) as unknown as TranscodePlan

it.each([
  ['all frames', [1_200, 1_200, 1_200], [120]],
  ['a few frames less at the end', [1_200, 1_200, 1_100], [110]],
  ['sound to the end', [1_200, 1_200, 100], [119]],
])('refuseIncomplete accepts %s', (_name, frames, audioSec) => {
  expect(() => refuseIncomplete(plan(), { frames, audioSec })).not.toThrow()
})

it.each<[string, number[], number[], number, RegExp]>([
  ['a source that ends early', [1_200, 600, 0], [60], 0, /^The video file is incomplete: only 1:00 of 2:00 could be read\./],
  ['sound that was extended by silence', [1_200, 600, 0], [120], 60, /only 1:00 of 2:00/],
  ['missing frames inside', [1_200, 600, 1_200], [120], 0, /^The file cannot be decoded between 00:01:00 and 00:01:20\./],
  ['a chunk without frames', [0, 1_200, 1_200], [120], 0, /between 00:00:00 and 00:00:40\./],
  ['no frame at all', [0, 0, 0], [120], 0, /^The video file contains no frames that can be decoded\./],
])('refuseIncomplete refuses %s', (_name, frames, audioSec, endsEarlySec, words) => {
  expect(() => refuseIncomplete(plan(endsEarlySec), { frames, audioSec })).toThrow(words)
})

const whole = [1_200, 1_200, 1_200]
const at = (fromSec: number, toSec: number) => [{ fromSec, toSec }]
it('refuseIncomplete accepts a replaced chunk inside', () => {
  expect(() => refuseIncomplete(plan(), { frames: whole, audioSec: [], damage: [[], at(40, 80), []] })).not.toThrow()
})

it.each<[string, { fromSec: number; toSec: number }[][], RegExp]>([
  ['more replaced than decoded chunks', [at(0, 40), at(40, 80), []], /^More than half of the video cannot be decoded\./],
  ['a replaced end', [[], [], at(80, 120)], /only 1:20 of 2:00/],
  ['an end that is replaced from the middle of a chunk', [[], at(70, 80), at(80, 120)], /only 1:10 of 2:00/],
])('refuseIncomplete refuses %s', (_name, damage, words) => {
  expect(() => refuseIncomplete(plan(), { frames: whole, audioSec: [120], damage, damagedTracks: [0] })).toThrow(words)
})

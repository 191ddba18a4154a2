import { expect, it } from 'vitest'
import type { TranscodePlan } from '../server/modules/transcoding/plan/plan.ts'
import { ownSeconds, workOf } from './task-times.ts'

const task = (kind: string, position: number, from: number, to: number) => ({ kind, position, from, to })
const TASKS = [task('plan', 0, 0, 1), task('video', 0, 1, 9), task('audio', 0, 1, 5), task('video', 1, 9, 19), task('finish', 0, 19, 21)]

it('ownSeconds divides the time that tasks share', () => {
  expect(ownSeconds(TASKS)).toEqual([1, 6, 2, 10, 2])
})

it('workOf scales measured times to a length, with the chunks of the plan', () => {
  const facts = {
    durationSec: 20,
    container: 'mp4',
    interlaced: false,
    pictureEndsEarlySec: 0,
    frameRate: { text: '25', value: 25 },
    audio: [{}],
  }
  const renditions = [{ quality: '360p', width: 640, height: 360, maxVideoRate: 800_000 }]
  const plan = { facts, renditions } as unknown as TranscodePlan
  const short = { durationSec: 10, tasks: [task('plan', 0, 0, 0.9), task('video', 0, 1, 9), task('finish', 0, 9, 10)] }
  const longer = { durationSec: 200, sourceBytes: 7 }
  const work = workOf(plan, { short, long: { durationSec: 20, tasks: TASKS } }, longer)
  // 0.1 s and 1 s more for each 10 s.
  expect(work).toMatchObject({ planSec: expect.closeTo(2.8), finishSec: expect.closeTo(20), soundSec: [20], sourceBytes: 7 })
  expect(work.chunkSec.length).toBeGreaterThan(4)
  expect(work.chunkSec.reduce((sum, one) => sum + one, 0)).toBeCloseTo(160)
  // The first chunk has 4 s.
  expect(work.chunkSec[0]).toBeCloseTo(3.2)
  expect(work.search).toBeUndefined()
  const tasks = [...TASKS, task('quality', 0, 21, 26)]
  // The chunks of the first 12 s do not wait for it.
  expect(workOf(plan, { short, long: { durationSec: 20, tasks } }, longer).search).toEqual({ sec: 5, from: 2 })
})

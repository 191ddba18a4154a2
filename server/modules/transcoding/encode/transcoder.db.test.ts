import { afterEach, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import type { TranscodeLease } from '../tasks/lease.ts'
import { leaseNext } from '../tasks/queue.ts'
import { storePlan, storeResult } from '../tasks/task-writes.ts'
import { Transcoder } from './transcoder.ts'

/** What the slots began, and the end of each: which tasks a worker takes is the subject, not what they do. */
const begun = vi.hoisted(() => [] as { lease: TranscodeLease; goOn: (next?: TranscodeLease) => void }[])
vi.mock('../tasks/run.ts', () => ({
  async runTask(leased: TranscodeLease, signal: AbortSignal, onBegin: (lease: TranscodeLease) => void) {
    for (let lease: TranscodeLease | undefined = leased; lease; ) {
      onBegin(lease)
      const { promise, resolve } = Promise.withResolvers<TranscodeLease | undefined>()
      // A worker that stops may have leased a task at that moment.
      if (signal.aborted) resolve(undefined)
      signal.addEventListener('abort', () => resolve(undefined))
      begun.push({ lease, goOn: resolve })
      lease = await promise
    }
  },
}))

await testDatabase()
let transcoder: Transcoder | undefined
afterEach(async () => {
  await transcoder?.stop()
  begun.length = 0
  await db().account.deleteMany()
})

const track = { stream: 1, language: 'en', name: 'English', isDefault: true, mono: false, endsEarlySec: 0 }
const PLAN = {
  version: 1,
  facts: { durationSec: 96, width: 640, height: 360, frameRate: { text: '25', value: 25 }, interlaced: false, audio: [track] },
  renditions: [{ quality: '360p', width: 640, height: 360, maxVideoRate: 800_000 }],
  segmentSec: 4,
  chunks: [0, 1].map((position) => ({
    ...{ position, frames: 1_200, expectedFrames: 1_200, seek: null, startFrame: position * 1_200, firstSegment: position * 12 },
  })),
} as unknown as TranscodePlan
const SEARCH = { target: 'standard' as const, costSec: 20, from: 1, spans: [], searched: ['360p'] }

/** Due times are rounded to milliseconds, so what is due now may be due a moment later. */
const take = (kind: 'plan' | 'audio') =>
  vi.waitFor(async () => {
    const lease = await leaseNext([kind])
    if (!lease) throw new Error('nothing was due')
    return lease
  })
const queueUp = (account: AccountCtx) => makeVideo(account, { status: 'PENDING', durationSec: 0, qualities: [] })
/** Waits until a slot of this worker has begun a task of the kind. */
const began = (kind: string) =>
  vi.waitFor(() => {
    const found = begun.find(({ lease }) => lease.kind === kind)
    if (!found) throw new Error(`no slot has begun ${kind}`)
    return found
  })

/** Returns a video of which another worker encodes the first chunk. */
async function begunByOther(account: AccountCtx, plan: TranscodePlan): Promise<string> {
  const videoId = await queueUp(account)
  await storePlan(await take('plan'), plan, null)
  return videoId
}

it('leaves the sound of a video to other workers while it searches for its rate factors', async () => {
  const account = await makeAccount()
  await begunByOther(account, { ...PLAN, search: SEARCH })
  const later = await begunByOther(account, PLAN)
  transcoder = new Transcoder(1)
  await began('quality')
  expect((await began('audio')).lease.videoId).toBe(later)
})

it('takes that sound as well when no other worker does', async () => {
  await begunByOther(await makeAccount(), { ...PLAN, search: SEARCH })
  transcoder = new Transcoder(1)
  await began('quality')
  await began('audio')
})

it('begins the sound of a video once its first chunk is encoded', async () => {
  const account = await makeAccount()
  const videoId = await queueUp(account)
  transcoder = new Transcoder(1)
  const plan = await began('plan')
  plan.goOn((await storePlan(plan.lease, PLAN, null))?.next)
  const chunk = await began('video')
  const later = await begunByOther(account, PLAN)
  const sound = await began('audio')
  expect(sound.lease.videoId).toBe(later)
  sound.goOn()
  chunk.goOn()
  await vi.waitFor(() => expect(begun.some(({ lease }) => lease.kind === 'audio' && lease.videoId === videoId)).toBe(true))
})

it('runs the last step of a video in a slot of its own: sound and picture of another account begin meanwhile', async () => {
  const account = await makeAccount()
  const [first] = PLAN.chunks
  await begunByOther(account, { ...PLAN, chunks: first ? [first] : [] })
  // The worker has the sound, which ends last, as that of a video of 2 s with many captions does.
  transcoder = new Transcoder(1)
  const sound = await began('audio')
  const segments = [['0', 4, 9]] as [string, number, number][]
  const chunk = await db().transcodeTask.findFirstOrThrow({ where: { mediaId: sound.lease.mediaId, kind: 'video' } })
  await storeResult(
    { ...sound.lease, ...chunk, kind: 'video', leaseId: chunk.leaseId as string },
    {
      frames: 1_200,
      renditions: { '360p': { codecs: 'avc1.64001e', segments } },
    },
  )
  await storeResult(sound.lease, { codecs: 'mp4a.40.2', segments })
  sound.goOn()
  expect((await began('finish')).lease.videoId).toBe(sound.lease.videoId)
  const neighbour = await makeAccount()
  const later = await queueUp(neighbour)
  const plan = await began('plan')
  plan.goOn((await storePlan(plan.lease, PLAN, null))?.next)
  const picture = await began('video')
  await storeResult(picture.lease, { frames: 1_200, renditions: { '360p': { codecs: 'avc1.64001e', segments } } })
  picture.goOn()
  await vi.waitFor(() => expect(begun.some(({ lease }) => lease.kind === 'audio' && lease.videoId === later)).toBe(true))
})

it('encodes the sound of a further account once a track has taken a minute, and of the same account one track at a time', async () => {
  const [long, neighbour] = [await makeAccount(), await makeAccount()]
  const real = performance.now.bind(performance)
  let passedMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + passedMs)
  const tracks = (accountId: string) => begun.filter(({ lease }) => lease.kind === 'audio' && lease.accountId === accountId).length
  try {
    await begunByOther(long, PLAN)
    transcoder = new Transcoder(0)
    await began('audio')
    await begunByOther(neighbour, PLAN)
    expect([tracks(long.accountId), tracks(neighbour.accountId)]).toEqual([1, 0])
    passedMs = 60_001
    await vi.waitFor(() => expect(tracks(neighbour.accountId)).toBe(1))
    passedMs *= 2
    // Each wakes the slots.
    for (let nr = 0; nr < 5; nr++) await begunByOther(long, PLAN)
    await begunByOther(await makeAccount(), PLAN)
    await vi.waitFor(() => expect(begun).toHaveLength(3))
    expect([tracks(long.accountId), tracks(neighbour.accountId)]).toEqual([1, 1])
  } finally {
    clock.mockRestore()
  }
})

import { beforeEach, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { makeQueued, makeWorker } from '../../../testing/media/transcode-rows.ts'
import { readFleet } from './fleet.ts'
import { getProcessing, getVisibleProcessing, readAhead } from './read-processing.ts'

await testDatabase()
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)
const soon = () => new Date(Date.now() + 60_000)
let ctx: AccountCtx
beforeEach(async () => {
  await db().media.updateMany({ data: { startedAt: null } })
  await db().video.updateMany({ data: { completedAt: null } })
  await db().transcodeQueue.deleteMany()
  await db().process.deleteMany()
  ctx = await makeAccount()
})

const waiting = (kind: string, position: number) => ({ kind, position })
const running = (kind: string, position: number, worker: string) => ({
  ...{ kind, position, worker, progress: 0.5, startedAt: ago(10), leasedUntil: soon() },
})
/** A task that took 20 s. */
const done = (kind: string, position: number, worker: string) => ({
  ...{ kind, position, worker, progress: 1, startedAt: ago(30), doneAt: ago(10) },
})

describe('getProcessing', () => {
  it('reads the parts of an analyzed video', async () => {
    await makeWorker('prc_one', 'host-a')
    const id = await makeQueued(ctx, {
      video: { playableAt: ago(10), etaSec: 30 },
      tasks: [done('video', 0, 'prc_one'), running('video', 1, 'prc_one'), waiting('video', 2), waiting('audio', 0), waiting('finish', 0)],
    })
    const state = await getProcessing(ctx, { videoId: id })
    expect(state).toMatchObject({ videoId: id, status: 'PROCESSING', stage: 'encoding', queue: null, chunksDone: 1, progress: 0.5 })
    expect(state.chunks.map((chunk) => [chunk.state, chunk.worker])).toEqual([
      ['done', 'worker 1'],
      ['running', 'worker 1'],
      ['waiting', null],
    ])
    expect(state.playableSince).not.toBeNull()
    expect(state.secondsLeft).toBe(30)
    expect(JSON.stringify(state)).not.toMatch(/prc_one|host-a/)
  })

  it('explains the place of a waiting video', async () => {
    await makeWorker('prc_one', 'host-a')
    const other = await makeAccount()
    const first = await makeQueued(ctx, { queue: { queuedAt: ago(300) } })
    await makeQueued(other, { queue: { queuedAt: ago(200) } })
    await makeQueued(other, { queue: { queuedAt: ago(50) } })
    const last = await makeQueued(ctx, { queue: { queuedAt: ago(100) } })
    expect(await readAhead(first)).toEqual({ position: 1, ownVideos: 0, otherTurns: 0 })
    // Accounts take turns: one of the two videos of the other account comes before.
    const { queue, stage } = await getProcessing(ctx, { videoId: last })
    expect(stage).toBe('queued')
    expect(queue).toEqual({
      ...{ position: 3, ownVideosBefore: 1, otherTurnsBefore: 1, nextTryAt: null },
      reason: '1 video of this account and 1 turn of other accounts come ahead of it. Accounts take turns.',
    })
  })

  it.each([
    ['none runs', async () => {}],
    ['the only one is paused', async () => void (await makeWorker('prc_one', 'host-a', 'a volume of DATA_DIR is full'))],
    [
      'the only one is silent',
      async () => {
        await makeWorker('prc_one', 'host-a')
        await db().process.updateMany({ data: { heartbeatAt: ago(60) } })
      },
    ],
  ])('states that no worker is available when %s, and not why', async (_, arrange) => {
    await arrange()
    const state = await getProcessing(ctx, { videoId: await makeQueued(ctx) })
    expect(state).toMatchObject({ queue: { reason: 'No worker is available.' }, action: { code: 'operator' } })
    expect(JSON.stringify(state)).not.toContain('volume')
  })

  it('knows no video of another account', async () => {
    const id = await makeQueued(ctx)
    await expect(getProcessing(await makeAccount(), { videoId: id })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  })
})

describe('getVisibleProcessing', () => {
  const key = (of: AccountCtx, environment: 'LIVE' | 'TEST'): AccountCtx => ({
    ...of,
    actor: { kind: 'key', keyId: 'key_test', environment } as unknown as AccountCtx['actor'],
  })

  it('shows a completed video, and neither a deleted one nor one that was taken down', async () => {
    const id = await makeVideo(ctx)
    expect(await getVisibleProcessing(key(ctx, 'LIVE'), { videoId: id })).toMatchObject({ stage: 'completed', chunks: [], progress: 1 })
    for (const hidden of [{ deletedAt: new Date() }, { takenDownAt: new Date(), takedownReason: 'A claim' }]) {
      const videoId = await makeVideo(ctx, hidden)
      await expect(getVisibleProcessing(key(ctx, 'LIVE'), { videoId })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
    }
  })

  it.each([
    ['vid_test_pending', { stage: 'queued', queue: { position: 1 } }],
    ['vid_test_processing', { stage: 'analyzing', queue: null }],
    ['vid_test_completed', { stage: 'completed' }],
    ['vid_test_failed', { stage: 'failed', action: { code: 'upload' } }],
  ])('knows the fixture %s for test keys alone', async (videoId, expected) => {
    expect(await getVisibleProcessing(key(ctx, 'TEST'), { videoId })).toMatchObject(expected)
    await expect(getVisibleProcessing(key(ctx, 'LIVE'), { videoId })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  })
})

describe('readFleet', () => {
  it('shows what each worker does, lost ones included', async () => {
    await makeWorker('prc_busy', 'host-a')
    await makeWorker('prc_paused', 'host-b', 'a volume of DATA_DIR is low on free space')
    const videoId = await makeQueued(ctx, {
      tasks: [running('video', 0, 'prc_busy'), running('video', 1, 'prc_gone'), running('audio', 0, 'prc_busy'), waiting('video', 2)],
    })
    await makeQueued(ctx, { queue: { leasedUntil: soon() } })
    const { workers, analyzing } = await readFleet()
    expect(analyzing).toBe(1)
    expect(workers.map(({ id, process, tasks }) => [id, process?.host ?? null, process?.fault ?? null, tasks.length])).toEqual([
      ['prc_busy', 'host-a', null, 2],
      ['prc_paused', 'host-b', 'a volume of DATA_DIR is low on free space', 0],
      ['prc_gone', null, null, 1],
    ])
    expect(workers[2]?.tasks[0]).toMatchObject({
      accountId: ctx.accountId,
      videoId,
      kind: 'video',
      startSec: 40,
      endSec: 80,
      progress: 0.5,
    })
  })

  it('counts the queue by account, the one that waits longest first', async () => {
    const other = await makeAccount()
    await makeQueued(ctx, { queue: { queuedAt: ago(50) } })
    await makeQueued(other, {
      queue: { queuedAt: ago(90) },
      tasks: [running('video', 0, 'prc_one'), waiting('video', 1), waiting('finish', 0)],
    })
    await makeQueued(other, { queue: { queuedAt: ago(10) } })
    const { queue, accounts } = await readFleet()
    expect(accounts).toBe(2)
    expect(queue).toMatchObject([
      { accountId: other.accountId, videos: 2, waitingTasks: 3, runningTasks: 1 },
      { accountId: ctx.accountId, videos: 1, waitingTasks: 1, runningTasks: 0 },
    ])
  })

  it('measures waiting times and throughput', async () => {
    for (const waited of [2, 4, 90]) {
      const id = await makeVideo(ctx)
      const times = { createdAt: ago(600 + waited), startedAt: ago(600), attempts: 1, durationSec: 60 }
      await db().media.update({ where: { id }, data: times })
      await db().video.update({ where: { id }, data: { completedAt: ago(60) } })
    }
    const { wait, completedHourSec } = await readFleet()
    expect(wait).toMatchObject({ videos: 3, p50: expect.closeTo(4, 1) })
    expect(wait.p95).toBeCloseTo(81.4, 1)
    expect(completedHourSec).toBe(180)
  })

  it('has no figures without videos', async () => {
    expect(await readFleet()).toMatchObject({
      ...{ workers: [], queue: [], accounts: 0, analyzing: 0, completedHourSec: 0 },
      wait: { videos: 0, p50: null, p95: null },
    })
  })
})

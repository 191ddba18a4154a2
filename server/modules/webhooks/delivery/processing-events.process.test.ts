import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { EVENTS, type EventType } from '../../../events.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { shortClip } from '../../../testing/media/media-files.ts'
import { leaseOf, transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { fail, release } from '../../transcoding/tasks/lease.ts'
import { retryVideo } from '../../videos/remove.ts'

await testDatabase()
let ctx: AccountCtx
beforeAll(async () => {
  ctx = await makeAccount()
  await startQueue(JOBS)
  return stopQueue
})

async function emitted(videoId: string) {
  const rows = await db().webhookEvent.findMany({ where: { accountId: ctx.accountId }, orderBy: { seq: 'asc' } })
  const payloads = rows.map((row) => JSON.parse(row.payload) as { eventType: EventType; data: { videoId: string } })
  return payloads.filter((one) => one.data.videoId === videoId).map(({ eventType, data }) => [eventType, data] as const)
}

test('transcoding emits the start, the beginning that can be played, and the completion with the video’s present data', async () => {
  const videoId = await pendingVideo(ctx, await shortClip(), { targetQuality: '360p' })
  await db().video.update({ where: { id: videoId }, data: { externalId: 'lesson-42' } })
  await transcodeVideo({ accountId: ctx.accountId, videoId }, new AbortController().signal)
  const video = await db().video.findUniqueOrThrow({ where: { id: videoId } })
  expect(await emitted(videoId)).toEqual([
    ['video.processing.started', { videoId, durationSec: 0, qualities: [], encrypted: true, externalId: 'lesson-42' }],
    ['video.playable', { videoId, durationSec: video.durationSec, qualities: ['360p', '240p'], encrypted: true, externalId: 'lesson-42' }],
    [
      'video.processing.completed',
      { videoId, durationSec: video.durationSec, qualities: ['360p', '240p'], encrypted: true, externalId: 'lesson-42' },
    ],
  ])
})

test('lost workers, interruptions and takeovers emit no second start; a retry from the dashboard does', async () => {
  const videoId = await makeVideo(ctx, { status: 'PENDING', durationSec: 0, qualities: [] })
  const take = async () => {
    const claim = await leaseOf({ accountId: ctx.accountId, videoId })
    if (!claim) throw new Error('no claim')
    return claim
  }
  const types = async () => (await emitted(videoId)).map(([type]) => type.split('.')[2])
  const lost = await take()
  await release(await take(), 'stopped')
  const held = await take()
  expect(await types()).toEqual(['started'])
  // A worker with an expired lease emits no event.
  expect(await fail({ ...lost, attempt: 7 }, 'Late words.')).toBe(false)
  expect(await fail(held, 'This file is not a video.')).toBe(true)
  expect(await fail(held, 'This file is not a video.')).toBe(false)
  expect(await types()).toEqual(['started', 'failed'])
  expect((await emitted(videoId))[1]?.[1]).toMatchObject({ reason: 'This file is not a video.' })

  await retryVideo(ctx, { videoId })
  await fail(await take(), 'Still not.')
  expect(await types()).toEqual(['started', 'failed', 'started', 'failed'])
  for (const [type, data] of await emitted(videoId)) EVENTS[type].data.parse(data)
})

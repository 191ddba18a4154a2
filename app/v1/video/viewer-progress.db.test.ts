import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { recordViewing } from '../../../server/modules/analytics/viewing/record-viewing.ts'
import type { Span } from '../../../server/modules/delivery/viewers/progress.ts'
import { viewerReference } from '../../../server/modules/identity/viewers/reference.ts'
import { db } from '../../../server/platform/database/database.ts'
import { send } from '../../../server/testing/client.ts'
import { stopClock } from '../../../server/testing/clock.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'

await testDatabase()
const base = await startHttpServer()
let owner: AccountCtx
let videoId: string
let key: string
beforeAll(async () => {
  owner = await makeAccount()
  key = (await makeKey(owner)).value
  videoId = await makeVideo(owner, { qualities: ['360p'], durationSec: 100 })
})

const BEGIN = Date.now()
const put = await stopClock(undefined)
const setClock = (seconds: number) => put(new Date(BEGIN + seconds * 1_000))

async function open(viewer: string, policy: object = {}) {
  const body = JSON.stringify({ viewer: { id: viewer }, ...policy })
  const headers = { 'x-service-key': key, 'content-type': 'application/json' }
  const issued = await send(`${base}/v1/video/${videoId}/playback-token`, { method: 'POST', headers, body })
  const exchanged = await send(`${base}/v1/video/playback/manifest/${JSON.parse(issued.body).data.token}`)
  const { masterPlaylistUrl, resumeAt } = JSON.parse(exchanged.body).data as { masterPlaylistUrl: string; resumeAt?: number }
  return { permit: new URL(masterPlaylistUrl).pathname.split('/').at(-2) as string, resumeAt }
}
function report(permit: string, spans: Span[], positionSec = spans.at(-1)?.[1] ?? 0): Promise<void> {
  const counts = { watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, reached: [] }
  const visitor = { address: '192.0.2.1', remote: '192.0.2.1', userAgent: '' }
  return recordViewing(visitor, {
    videoId,
    permit,
    session: 'a'.repeat(32),
    ...counts,
    positionSec,
    spans: spans.map(([from, to]) => [from, to]),
  })
}
const progressOf = async (viewer: string) => {
  const viewerId = await viewerReference(owner.accountId, viewer)
  return db().viewerProgress.findFirst({ where: { viewerId }, select: { watchedSec: true, positionSec: true, completedAt: true } })
}

test('progress is unique seconds: a seek to the end, or the same part again, adds nothing that was not played', async () => {
  await setClock(0)
  const { permit } = await open('seeks')
  await setClock(40)
  await report(permit, [[0, 40]])
  await report(permit, [[99, 100]])
  await report(permit, [[0, 40]])
  expect(await progressOf('seeks')).toEqual({ watchedSec: 41, positionSec: 40, completedAt: null })
})

test('two devices merge, and 90 of 100 seconds complete a video', async () => {
  await setClock(0)
  const [phone, laptop] = [await open('merges'), await open('merges')]
  await setClock(60)
  await report(phone.permit, [[0, 50]])
  await report(laptop.permit, [[40, 89]])
  expect(await progressOf('merges')).toMatchObject({ watchedSec: 89, completedAt: null })
  await report(laptop.permit, [[89, 90]])
  expect(await progressOf('merges')).toMatchObject({ watchedSec: 90, completedAt: expect.any(Date) })
})

test('a forged report claims no more than four times the seconds since the exchange, in one report or in many', async () => {
  await setClock(0)
  const { permit } = await open('forges')
  await setClock(10)
  await report(permit, [[0, 100]])
  expect(await progressOf('forges')).toBeNull()
  await report(permit, [[0, 30]])
  await report(permit, [[50, 80]])
  expect(await progressOf('forges')).toMatchObject({ watchedSec: 30 })
})

test('sessions that a viewer opens to claim more claim no more together', async () => {
  await setClock(0)
  const sessions = await Promise.all([1, 2, 3].map(() => open('opens')))
  await setClock(10)
  await Promise.all(sessions.map(({ permit }, at) => report(permit, [[30 * at, 30 * at + 30]])))
  expect(await progressOf('opens')).toMatchObject({ watchedSec: 30 })
})

test('an hour offline is reported afterwards', async () => {
  await setClock(0)
  const { permit } = await open('offline')
  await setClock(3_600)
  await report(permit, [[0, 95]])
  expect(await progressOf('offline')).toMatchObject({ watchedSec: 95 })
})

test('another device resumes where the first one stopped, if the token asks for it', async () => {
  await setClock(0)
  const { permit } = await open('resumes')
  await setClock(30)
  await report(permit, [[0, 30.25]])
  expect((await open('resumes')).resumeAt).toBeUndefined()
  expect((await open('resumes', { resume: true })).resumeAt).toBe(30.25)
  await report(permit, [[30.25, 98]])
  expect((await open('resumes', { resume: true })).resumeAt).toBeUndefined()
})

test('a further source of another length keeps what was played of it', async () => {
  await setClock(0)
  const { permit } = await open('replaced')
  await setClock(60)
  await report(permit, [[0, 60]])
  await db().media.update({ where: { id: videoId }, data: { durationSec: 50 } })
  await expect.poll(async () => (await db().video.findUniqueOrThrow({ where: { id: videoId } })).durationSec).toBe(50)
  await expect
    .poll(async () => {
      await report(permit, [], 10)
      return progressOf('replaced')
    })
    .toMatchObject({ watchedSec: 50, positionSec: 10 })
})

test('playback does not resume beyond the end of a shorter source', async () => {
  const setLength = async (durationSec: number) => {
    await db().media.update({ where: { id: videoId }, data: { durationSec } })
    await expect.poll(async () => (await db().video.findUniqueOrThrow({ where: { id: videoId } })).durationSec).toBe(durationSec)
  }
  await setLength(100)
  await setClock(0)
  await expect
    .poll(async () => {
      const { permit } = await open('shorter')
      await setClock(100)
      await report(permit, [], 80)
      return progressOf('shorter')
    })
    .toMatchObject({ positionSec: 80 })
  expect((await open('shorter', { resume: true })).resumeAt).toBe(80)
  await setLength(50)
  expect((await open('shorter', { resume: true })).resumeAt).toBeUndefined()
})

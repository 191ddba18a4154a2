import { afterAll, beforeEach, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { JOBS } from '../../../server/jobs.ts'
import { recordViewing } from '../../../server/modules/analytics/viewing/record-viewing.ts'
import { pruneViewers } from '../../../server/modules/delivery/viewers/viewers.ts'
import { setViewerSettings } from '../../../server/modules/identity/accounts/change-account.ts'
import { Dispatcher } from '../../../server/modules/webhooks/delivery/dispatcher.ts'
import { getDelivery } from '../../../server/modules/webhooks/delivery/list-deliveries.ts'
import { replayDelivery } from '../../../server/modules/webhooks/delivery/replay.ts'
import { getEvent } from '../../../server/modules/webhooks/endpoints/event-log.ts'
import { streamEvents } from '../../../server/modules/webhooks/endpoints/stream.ts'
import { db, query } from '../../../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../../../server/platform/job-queue.ts'
import { send } from '../../../server/testing/client.ts'
import { stopClock } from '../../../server/testing/clock.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { dumpTables, tablesWith } from '../../../server/testing/dump.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'
import { makeEndpoint } from '../../../server/testing/make-endpoint.ts'
import { startReceiver } from '../../../server/testing/services/receiver.ts'
import { provide, renew } from '../../../server/testing/settings.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
await startQueue(JOBS)
afterAll(stopQueue)
const base = await startHttpServer()
const put = await stopClock(undefined)
let owner: AccountCtx
let videoId: string
let key: string
let began: number
beforeEach(async () => {
  owner = await makeAccount()
  key = (await makeKey(owner)).value
  videoId = await makeVideo(owner, { qualities: ['360p'], durationSec: 100 })
  began = Date.now()
  await setClock(0)
})

/** Stops the database's clock `seconds` after the test began, and forgets what this process confirmed by its own. */
async function setClock(seconds: number): Promise<void> {
  await put(new Date(began + seconds * 1_000))
  renew('viewerPlaces')
}

/** Exchanges a token. Returns the status, and the session's permit. */
async function open(policy: object, as = key) {
  const headers = { 'x-service-key': as, 'content-type': 'application/json' }
  const body = JSON.stringify({ viewer: { id: 'student-42' }, ...policy })
  const issued = await send(`${base}/v1/video/${videoId}/playback-token`, { method: 'POST', headers, body })
  const { status, body: text } = await send(`${base}/v1/video/playback/manifest/${JSON.parse(issued.body).data.token}`)
  const url = JSON.parse(text).data?.masterPlaylistUrl
  return { status, permit: url ? (new URL(url).pathname.split('/').at(-2) as string) : '' }
}

function report(permit: string, from: number, to: number): Promise<void> {
  const counts = { watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, reached: [] }
  const visitor = { address: '192.0.2.1', remote: '192.0.2.1', userAgent: '' }
  const played = { positionSec: to, spans: [[from, to]] as [number, number][] }
  return recordViewing(visitor, { videoId, permit, session: 'a'.repeat(32), ...counts, ...played })
}

/** The account's events: their types, and their data as members see it. */
async function events(): Promise<[string, Record<string, unknown>][]> {
  const rows = await db().webhookEvent.findMany({ where: { accountId: owner.accountId }, orderBy: { seq: 'asc' } })
  return Promise.all(
    rows.map(
      async ({ id, type }) =>
        [type, JSON.parse((await getEvent(owner, { eventId: id })).payload).data] as [string, Record<string, unknown>],
    ),
  )
}
const percents = async () => (await events()).map(([type, { percent }]) => [type, percent])

test('two devices that race reach 25, 50 and 75 percent, and complete the video, once each', async () => {
  await makeEndpoint(owner, 'https://hooks.example.com')
  const [phone, laptop] = [await open({}), await open({})]
  await setClock(100)
  const parts = Array.from({ length: 10 }, (_, at) => at * 10)
  await Promise.all([
    ...parts.map((from) => report(phone.permit, from, from + 10)),
    ...parts.toReversed().map((from) => report(laptop.permit, from, from + 10)),
  ])
  expect((await percents()).sort()).toEqual([['viewing.completed', 90], ...[25, 50, 75].map((percent) => ['viewing.progress', percent])])
  const [, first] = (await events()).find(([type]) => type === 'viewing.completed') ?? []
  expect(first).toEqual({
    ...{ viewerId: 'student-42', videoId, percent: 90, watchedSec: expect.any(Number), durationSec: 100 },
    ...{
      positionSec: expect.any(Number),
      firstAt: new Date(began + 100_000).toISOString(),
      completedAt: new Date(began + 100_000).toISOString(),
    },
  })
  await report(phone.permit, 0, 100)
  expect(await events()).toHaveLength(4)
})

test('one report that passes several percentages tells each of them; a shorter source repeats none', async () => {
  await makeEndpoint(owner, 'https://hooks.example.com')
  const { permit } = await open({})
  await setClock(100)
  await report(permit, 0, 60)
  expect(await percents()).toEqual([
    ['viewing.progress', 25],
    ['viewing.progress', 50],
  ])
  await query('', 'UPDATE viewer_progress SET duration_sec = 10, watched_sec = 0, seconds = $1::bit varying', ['0'.repeat(10)])
  await report(permit, 0, 60)
  expect(await events()).toHaveLength(2)
})

test('a video counts as completed at the percentage that the account has set', async () => {
  await makeEndpoint(owner, 'https://hooks.example.com')
  await setViewerSettings(owner, { viewerRetentionDays: 400, completedPercent: 55 })
  const { permit } = await open({})
  await setClock(100)
  await report(permit, 0, 54)
  expect((await db().viewerProgress.findFirstOrThrow({ where: { videoId } })).completedAt).toBeNull()
  await report(permit, 54, 55)
  expect((await db().viewerProgress.findFirstOrThrow({ where: { videoId } })).completedAt).toEqual(new Date(began + 100_000))
  expect((await percents()).at(-1)).toEqual(['viewing.completed', 55])
})

test('viewers are kept for as many days as their account has set', async () => {
  await setViewerSettings(owner, { viewerRetentionDays: 10, completedPercent: 90 })
  await open({})
  const left = () => db().viewer.count({ where: { accountId: owner.accountId } })
  await setClock(10 * 86_400 - 1)
  await pruneViewers()
  expect(await left()).toBe(1)
  await setClock(10 * 86_400)
  await pruneViewers()
  expect(await left()).toBe(0)
})

test('too many sessions are told once a minute, however often a player retries', async () => {
  await makeEndpoint(owner, 'https://hooks.example.com')
  await open({ maxSessions: 1 })
  for (let retry = 0; retry < 3; retry++) expect((await open({ maxSessions: 1 })).status).toBe(403)
  const refused = { viewerId: 'student-42', videoId, maxSessions: 1, outcome: 'refused' }
  expect(await events()).toEqual([['viewer.sessions_exceeded', refused]])
  await setClock(59)
  expect((await open({ maxSessions: 1 })).status).toBe(403)
  expect(await events()).toHaveLength(1)
  await put(new Date(began + 60_000))
  await query('', 'UPDATE viewer_session SET seen_at = service_now()', [])
  expect((await open({ maxSessions: 1, onLimit: 'end-oldest' })).status).toBe(200)
  expect((await events()).at(-1)).toEqual(['viewer.sessions_exceeded', { ...refused, outcome: 'oldest-ended' }])
})

test('nothing is stored for an account without a subscription, nor for tokens of a test key', async () => {
  const test = (await makeKey(owner, { environment: 'TEST' })).value
  const [live, trial] = [await open({}), await open({ maxSessions: 1, viewer: { id: 'trial' } }, test)]
  await setClock(100)
  await report(live.permit, 0, 100)
  const { id } = await makeEndpoint(owner, 'https://hooks.example.com')
  await report(trial.permit, 0, 100)
  await db().webhookEndpoint.update({ where: { id }, data: { events: ['viewing.completed'] } })
  const another = await open({ viewer: { id: 'another' } })
  await setClock(200)
  await report(another.permit, 0, 100)
  expect(await percents()).toEqual([['viewing.completed', 90]])
})

test('a receiver gets the viewer’s ID, the database keeps it nowhere, and an erased viewer’s events lose it', async () => {
  const receiver = await startReceiver(({ body }, res) => res.writeHead(200, { 'x-echo': encodeURIComponent(body) }).end(body))
  const { id: endpointId } = await makeEndpoint(owner, receiver.url)
  const viewer = 'marked-student "$1" ä'
  const { permit } = await open({ viewer: { id: viewer } })
  await setClock(100)
  await report(permit, 0, 30)
  const dispatcher = new Dispatcher()
  dispatcher.start()
  try {
    const eventId = (await db().webhookEvent.findFirstOrThrow({ where: { accountId: owner.accountId } })).id
    const delivery = () => getDelivery(owner, { endpointId, eventId })
    await expect.poll(async () => (await delivery()).status).toBe('DELIVERED')
    const [sent] = receiver.log
    expect(JSON.parse(sent?.body ?? '').data).toMatchObject({ viewerId: viewer, percent: 25 })
    expect(await delivery()).toMatchObject({
      payload: sent?.body,
      attempts: [{ status: 200, headers: {}, body: expect.stringContaining('Not kept') }],
    })
    expect(
      await getDelivery({ ...owner, actor: { kind: 'support', userId: 'usr_1', email: 'a@example.com' } }, { endpointId, eventId }),
    ).toMatchObject({
      payload: expect.not.stringContaining('marked-student'),
    })

    expect(tablesWith(await dumpTables(), 'marked-student')).toEqual([])

    const streamed = async () => (await streamEvents(owner, { cursor: '0.0', wait: 0, limit: 10 })).events.map(({ data }) => data)
    await expect.poll(streamed).toMatchObject([{ viewerId: viewer, percent: 25 }])

    const eraser = (await makeKey(owner, { scopes: ['viewer:write'] })).value
    const path = `${base}/v1/viewer/${encodeURIComponent(viewer)}`
    expect((await send(path, { method: 'DELETE', headers: { 'x-service-key': eraser } })).status).toBe(200)
    // The same person watches again.
    await setClock(200)
    expect((await open({ viewer: { id: viewer } })).status).toBe(200)
    expect(await streamed()).toMatchObject([{ viewerId: null, percent: 25 }])
    await replayDelivery(owner, { endpointId, eventId })
    await expect.poll(() => receiver.log.length).toBe(2)
    expect(JSON.parse(receiver.log[1]?.body ?? '').data).toMatchObject({ viewerId: null, videoId, percent: 25 })
    expect((await getEvent(owner, { eventId })).payload).not.toContain('marked-student')
  } finally {
    await dispatcher.stop()
  }
})

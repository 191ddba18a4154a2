import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { db } from '../../../server/platform/database/database.ts'
import { send } from '../../../server/testing/client.ts'
import { stopClock } from '../../../server/testing/clock.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'
import { provide } from '../../../server/testing/settings.ts'

await testDatabase()
const base = await startHttpServer()
await stopClock('2026-11-21T15:00:00Z')

let owner: AccountCtx
let key: string
let testKey: string
beforeAll(async () => {
  owner = await makeAccount()
  key = (await makeKey(owner, { scopes: ['analytics:read'] })).value
  testKey = (await makeKey(owner, { scopes: ['analytics:read'], environment: 'TEST' })).value
})

async function call(path: string, as = key) {
  const answer = await send(`${base}/v1/analytics/${path}`, { headers: { 'x-service-key': as } })
  const { data, error, pagination } = JSON.parse(answer.body)
  return { status: answer.status, data, code: error?.code, details: error?.details, pagination }
}

/** Counts plays of a video on a day, as players would. */
async function count({ accountId }: AccountCtx, videoId: string, day: string, plays: number) {
  const row = { accountId, day: new Date(day), plays, watchMs: BigInt(plays * 1_000) }
  await db().viewDay.create({ data: { ...row, videoId, errors: 1, startup: [plays], retention: [] } })
  await db().accountViewerDay.upsert({
    where: { accountId_day_dimension_value: { accountId, day: row.day, dimension: 'device', value: 'Phone' } },
    create: { ...row, dimension: 'device', value: 'Phone' },
    update: { plays: { increment: plays }, watchMs: { increment: row.watchMs } },
  })
}

describe.each(['plays', 'quality'])('GET /v1/analytics/%s', (path) => {
  test('needs analytics:read', async () => {
    const { value } = await makeKey(owner, { scopes: ['video:read', 'viewer:read', 'billing:read'] })
    expect(await call(path, value)).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE', details: { needs: 'analytics:read' } })
  })

  test.each([
    ['from=2026-11-21&to=2026-11-20', 'to', 'The last day must not be before the first day.'],
    ['from=2025-11-20&to=2026-11-21', 'from', 'Choose at most 366 days.'],
    ['from=21.11.2026', 'from', 'Use the format YYYY-MM-DD, such as 2026-03-01.'],
    ['to=2026-02-30', 'to', 'Use the format YYYY-MM-DD, such as 2026-03-01.'],
    ['from=1969-12-31&to=1970-01-02', 'from', 'Counts are kept since 1970-01-01. Choose this day or a later one.'],
    ['to=1000-01-01', 'to', 'Counts are kept since 1970-01-01. Choose this day or a later one.'],
    ['to=0000-01-01', 'to', 'Use the format YYYY-MM-DD, such as 2026-03-01.'],
    ['video=vid_x', '', 'Remove what this request does not accept: video.'],
    ['groupBy=city', 'groupBy', expect.stringMatching(/^Must be one of day, video/)],
    ['groupBy=video&videoId=vid_x', 'videoId', 'groupBy=video counts every video. Remove videoId, or change groupBy.'],
    ['cursor=abc', 'cursor', 'Only groupBy=video has pages. Remove cursor.'],
    ['groupBy=video&cursor=abc', 'cursor', 'Invalid cursor. Use the pagination.nextCursor of an earlier response.'],
    ['groupBy=video&limit=101', 'limit', 'Must be at most 100.'],
  ])('refuses %s, and names the field', async (search, field, message) => {
    expect(await call(`${path}?${search}`)).toEqual({
      ...{ status: 400, code: 'INVALID_REQUEST', data: undefined, pagination: undefined },
      details: [{ in: 'query', path: field, message }],
    })
  })

  test('refuses a first day that TRAFFIC_RETENTION_MONTHS no longer keeps', async () => {
    provide({ TRAFFIC_RETENTION_MONTHS: '13' })
    const message = 'Counts are kept since 2025-10-21. Choose this day or a later one.'
    expect((await call(`${path}?from=2025-10-20&to=2025-10-25`)).details).toEqual([{ in: 'query', path: 'from', message }])
    expect((await call(`${path}?to=2025-10-25`)).details).toEqual([{ in: 'query', path: 'to', message }])
    expect((await call(`${path}?from=2025-10-21&to=2025-10-25`)).status).toBe(200)
    provide({ TRAFFIC_RETENTION_MONTHS: undefined })
  })

  test.each([
    ['', { from: '2026-10-23', to: '2026-11-21', partial: true }, 30],
    ['from=2026-11-20', { from: '2026-11-20', to: '2026-11-21', partial: true }, 2],
    ['to=2026-11-20', { from: '2026-10-22', to: '2026-11-20', partial: false }, 30],
    ['from=2026-11-20&to=2026-11-23', { from: '2026-11-20', to: '2026-11-23', partial: true }, 2],
    ['from=2026-11-22', { from: '2026-11-22', to: '2026-11-22', partial: true }, 0],
    ['from=2025-11-21&to=2026-11-21', { from: '2025-11-21', to: '2026-11-21', partial: true }, 366],
  ])('%s has the UTC days that have begun', async (search, range, days) => {
    const { data, pagination } = await call(`${path}?${search}`)
    expect(data).toMatchObject({ ...range, groupBy: 'day' })
    expect(data.groups).toHaveLength(days)
    expect(pagination).toEqual({ nextCursor: null, hasMore: false })
  })

  test('pages through the videos, newest first; a deleted one counts in the totals alone', async () => {
    const ctx = await makeAccount()
    const { value } = await makeKey(ctx, { scopes: ['analytics:read'] })
    const foreign = await makeAccount()
    await count(foreign, await makeVideo(foreign), '2026-11-21', 100)
    const videos: string[] = []
    for (let at = 0; at < 5; at++) {
      const videoId = await makeVideo(ctx, { createdAt: new Date(Date.UTC(2026, 10, 1, 0, at)) })
      videos.unshift(videoId)
      if (at > 0) await count(ctx, videoId, '2026-11-20', at)
    }
    await count(ctx, await makeVideo(ctx, { deletedAt: new Date() }), '2026-11-20', 7)
    const seen: [string, number][] = []
    const more: boolean[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, pagination } = await call(`${path}?groupBy=video&limit=2${cursor && `&cursor=${cursor}`}`, value)
      expect(data.totals.plays).toBe(17)
      seen.push(...data.groups.map((one: { value: string; plays: number }): [string, number] => [one.value, one.plays]))
      more.push(pagination.hasMore)
      cursor = pagination.nextCursor
    }
    expect(seen).toEqual(videos.map((videoId, at) => [videoId, 4 - at]))
    expect(more).toEqual([true, true, false])
  })

  test('counts one video; one of another account, or a deleted one, is not found', async () => {
    const videoId = await makeVideo(owner)
    await count(owner, videoId, '2026-11-20', 3)
    const { data } = await call(`${path}?videoId=${videoId}&from=2026-11-20`)
    expect([data.totals.plays, data.groups.map(({ plays }: { plays: number }) => plays)]).toEqual([3, [3, 0]])
    const foreign = await makeVideo(await makeAccount())
    const deleted = await makeVideo(owner, { deletedAt: new Date() })
    for (const id of [foreign, deleted, 'vid_absent', ''])
      expect(await call(`${path}?videoId=${id}`)).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' })
  })

  test('a test key reads the counts of live keys, and fixtures', async () => {
    const search = '?from=2026-11-20&to=2026-11-20'
    expect((await call(path + search, testKey)).data).toEqual((await call(path + search)).data)
    const { data } = await call(`${path}?videoId=vid_test_completed`, testKey)
    expect([data.totals.plays, data.groups.length]).toEqual([0, 30])
    expect(await call(`${path}?videoId=vid_test_scope_missing`, testKey)).toMatchObject({ details: { needs: 'analytics:read' } })
    expect((await call(`${path}?videoId=vid_test_unavailable`, testKey)).status).toBe(503)
    expect((await call(`${path}?videoId=vid_test_completed`)).code).toBe('VIDEO_NOT_FOUND')
  })
})

test('quality of one video is not stored by country', async () => {
  const message = 'We store the quality of a video by day only. Remove videoId, or groupBy.'
  expect((await call('quality?groupBy=country&videoId=vid_x')).details).toEqual([{ in: 'query', path: 'groupBy', message }])
})

test('the 100 largest values have their own group, and the rest one together, last', async () => {
  const ctx = await makeAccount()
  const { value } = await makeKey(ctx, { scopes: ['analytics:read'] })
  const day = new Date('2026-11-20')
  await db().accountViewerDay.createMany({
    data: Array.from({ length: 130 }, (_, at) => ({
      ...{ accountId: ctx.accountId, day, dimension: 'referrer', value: `p${at}.example.com`, plays: at + 1, watchMs: 1_000n, errors: 1 },
      startup: [at + 1, ...new Array<number>(23).fill(0)],
    })),
  })
  const { groups } = (await call('plays?groupBy=referrer', value)).data
  expect(groups).toHaveLength(101)
  expect(groups[0]).toEqual({ value: 'p129.example.com', plays: 130, watchedSec: 1 })
  expect(groups.at(-1)).toEqual({ value: '(other)', plays: (30 * 31) / 2, watchedSec: 30 })
  await db().accountViewerDay.updateMany({ where: { accountId: ctx.accountId }, data: { dimension: 'browser' } })
  const measured = (await call('quality?groupBy=browser', value)).data.groups
  expect(measured.map((one: { value: string }) => one.value)).toEqual(groups.map((one: { value: string }) => one.value))
  expect(measured.at(-1)).toMatchObject({ plays: (30 * 31) / 2, startupP50Ms: 50, errors: 30 })
})

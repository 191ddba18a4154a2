import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '#server/context'
import type { Plays, Quality } from '#server/modules/analytics/viewing/analytics-schema'
import { QUALITY_DIMENSIONS, VIEWER_DIMENSIONS } from '#server/modules/analytics/viewing/viewer-limits'
import { viewersReport } from '#server/modules/analytics/viewing/viewers-report'
import { viewingCounts } from '#server/modules/analytics/viewing/viewing-counts'
import { viewingReport } from '#server/modules/analytics/viewing/viewing-report'
import type { ViewingReport } from '#server/modules/analytics/viewing/viewing-schema'
import { mintSession } from '#server/modules/delivery/sessions/media-permit'
import { newTokenId } from '#server/modules/delivery/tokens/token'
import { send } from '#server/testing/client'
import { stopClock } from '#server/testing/clock'
import { testDatabase } from '#server/testing/database'
import { startHttpServer } from '#server/testing/http-server'
import { makeAccount, makeKey, makePlayable } from '#server/testing/make'
import { POST } from '../../../embed/[videoId]/beacon/route'
import { viewersRows } from './viewers-csv'

await testDatabase()
const base = await startHttpServer()

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
const BERLIN = '2.160.0.1'
const LONDON = '81.2.69.142'
/** The days of the viewings: one in the last second of the first, the others in the first seconds of the second. */
const RANGE = { from: '2026-11-20', to: '2026-11-21' }

let owner: AccountCtx
let key: string
let first: string
let second: string
let sessions = 0

beforeAll(async () => {
  owner = await makeAccount()
  const made = await makeKey(owner, { scopes: ['analytics:read'] })
  key = made.value
  first = await makePlayable(owner, { createdAt: new Date('2026-11-01T10:00:00Z') })
  second = await makePlayable(owner, { createdAt: new Date('2026-11-02T10:00:00Z') })
  const put = await stopClock('2026-11-20T23:59:59.500Z')
  const report = async (videoId: string, address: string, agent: string, said: Partial<ViewingReport>) => {
    const expiresAt = Date.parse('2026-11-22T00:00:00Z') / 1_000
    const permit = mintSession(videoId, { expiresAt, renewableUntil: expiresAt, opening: { number: 0, tokenId: newTokenId(made.id) } })
    const session = (++sessions).toString(16).padStart(32, '0')
    const body = JSON.stringify({ permit, session, watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, reached: [], ...said })
    const headers = { 'content-length': String(body.length), 'x-forwarded-for': address, 'user-agent': agent }
    const answer = await POST(new Request('http://localhost/', { method: 'POST', body, headers }), { params: Promise.resolve({ videoId }) })
    expect(answer.status).toBe(204)
  }
  await report(first, BERLIN, FIREFOX, {
    ...{ startupMs: 200, watchMs: 30_000, rebufferMs: 10_000, rebuffers: 1, height: 360, page: 'school.example.com', reached: [0, 5, 10] },
    ...{ errors: 1, errorKind: 'offline' },
  })
  await viewingCounts().flush()
  await put('2026-11-21T00:00:00.500Z')
  await report(first, LONDON, IPHONE, { startupMs: 2_000, watchMs: 45_000, height: 360, page: '(direct)', reached: [0, 5, 10, 15, 19] })
  await report(second, BERLIN, FIREFOX, { startupMs: 200, watchMs: 15_000, height: 360, page: 'school.example.com', errors: 2 })
  await viewingCounts().flush()
})

async function read<Data>(path: string, query: Record<string, string> = {}): Promise<Data> {
  const search = new URLSearchParams({ ...RANGE, ...query })
  const { status, body } = await send(`${base}/v1/analytics/${path}?${search}`, { headers: { 'x-service-key': key } })
  expect([status, body]).toEqual([200, body])
  return JSON.parse(body).data
}
const plays = (query?: Record<string, string>) => read<Plays>('plays', query)
const quality = (query?: Record<string, string>) => read<Quality>('quality', query)

const group = (value: string, count: number, watchedSec: number) => ({ value, plays: count, watchedSec })

test('plays are what a person computes from the viewings', async () => {
  const all = await plays()
  expect(all).toEqual({
    ...{ ...RANGE, partial: true, groupBy: 'day', totals: { plays: 3, watchedSec: 90 } },
    reached: [
      { percent: 25, plays: 2 },
      { percent: 50, plays: 2 },
      { percent: 75, plays: 1 },
      { percent: 100, plays: 1 },
    ],
    groups: [group('2026-11-20', 1, 30), group('2026-11-21', 2, 60)],
  })
  const by = async (groupBy: string) => (await plays({ groupBy })).groups
  expect(await by('video')).toEqual([group(second, 1, 15), group(first, 2, 75)])
  expect(await by('country')).toEqual([group('DE', 2, 45), group('GB', 1, 45)])
  expect(await by('referrer')).toEqual([group('school.example.com', 2, 45), group('(direct)', 1, 45)])
  expect(await by('device')).toEqual([group('Computer', 2, 45), group('Phone', 1, 45)])
  expect(await by('browser')).toEqual([group('Firefox', 2, 45), group('Safari', 1, 45)])
  expect(await by('os')).toEqual([group('Windows', 2, 45), group('iOS', 1, 45)])
  expect(await by('quality')).toEqual([group('360p', 0, 90)])
  expect(await plays({ videoId: first, groupBy: 'device' })).toMatchObject({
    totals: { plays: 2, watchedSec: 75 },
    reached: all.reached,
    groups: [group('Computer', 1, 30), group('Phone', 1, 45)],
  })
})

const figures = (count: number, startupP50Ms: number, startupP95Ms: number, rebufferRatio: number, errors: number) => ({
  ...{ plays: count, startupP50Ms, startupP95Ms, rebufferRatio, errors },
})

test('quality is what a person computes from the viewings', async () => {
  // A startup counts in its bucket, 150–200 ms or 1,500–2,000 ms, in which percentiles are interpolated: the median of 3 plays is at
  // 1.5 of the 2 in the first. Of 100 s, 10 were spent waiting.
  const all = await quality()
  expect(all).toEqual({
    ...{ ...RANGE, partial: true, groupBy: 'day', totals: figures(3, 188, 1_925, 0.1, 3) },
    errorKinds: [
      { kind: '(unknown)', count: 2 },
      { kind: 'offline', count: 1 },
    ],
    groups: [
      { value: '2026-11-20', ...figures(1, 175, 198, 0.25, 1) },
      { value: '2026-11-21', ...figures(2, 200, 1_950, 0, 2) },
    ],
  })
  const byVideo = await quality({ groupBy: 'video' })
  expect(byVideo).toMatchObject({ totals: all.totals, errorKinds: all.errorKinds })
  expect(byVideo.groups).toEqual([
    { value: second, ...figures(1, 175, 198, 0, 2) },
    { value: first, ...figures(2, 200, 1_950, 10 / 85, 1) },
  ])
  const ofFirst = await quality({ videoId: first })
  expect([ofFirst.totals, ofFirst.errorKinds]).toEqual([figures(2, 200, 1_950, 10 / 85, 1), null])
  // Both viewings in Berlin started within 150–200 ms; of their 55 s, 10 were spent waiting.
  const [often, once] = [figures(2, 175, 198, 10 / 55, 3), figures(1, 1_750, 1_975, 0, 0)]
  for (const [groupBy, two, one] of [
    ['country', 'DE', 'GB'],
    ['device', 'Computer', 'Phone'],
    ['browser', 'Firefox', 'Safari'],
    ['os', 'Windows', 'iOS'],
  ] as const) {
    const { totals, groups } = await quality({ groupBy })
    expect([totals, groups], groupBy).toEqual([
      all.totals,
      [
        { value: two, ...often },
        { value: one, ...once },
      ],
    ])
  }
})

test('the pages, their file and the API have the same plays', async () => {
  const page = await viewersReport(owner, RANGE)
  const [, ...rows] = viewersRows(page)
  const inFile = (kind: string) => rows.filter(([of]) => of === kind).map(([, value, count, minutes]) => [value, count, minutes])
  const json = async (groupBy: string) =>
    (await plays({ groupBy })).groups.map(({ value, plays: count, watchedSec }) => [value, count, watchedSec / 60])
  expect(inFile('day_utc')).toEqual(await json('day'))
  for (const dimension of VIEWER_DIMENSIONS) {
    expect(inFile(dimension), dimension).toEqual(await json(dimension))
    expect(page.by[dimension].map(({ value, plays: count, minutes }) => [value, count, minutes])).toEqual(await json(dimension))
  }
  // The page has the most played videos first, the API the newest.
  expect(inFile('video').sort()).toEqual((await json('video')).sort())
  const all = await plays()
  expect(inFile('reached_percent').map(([share, count]) => [Number(share), count])).toEqual(
    all.reached.map(({ percent, plays: count }) => [percent, count]),
  )
  expect(page.totals).toEqual({ plays: all.totals.plays, minutes: all.totals.watchedSec / 60 })
  const ofVideo = await viewersReport(owner, { ...RANGE, videoId: first })
  const { totals, groups } = await plays({ videoId: first, groupBy: 'country' })
  expect(ofVideo.totals).toEqual({ plays: totals.plays, minutes: totals.watchedSec / 60 })
  expect(ofVideo.by.country.map(({ value, plays: count, minutes }) => group(value, count, minutes * 60))).toEqual(groups)
})

test('the pages, their file and the API have the same quality', async () => {
  const page = await viewersReport(owner, RANGE)
  const all = await quality()
  const { startupP50, startupP95, rebufferRatio, errors } = page.quality ?? {}
  expect([startupP50, startupP95, rebufferRatio, errors]).toEqual([
    all.totals.startupP50Ms,
    all.totals.startupP95Ms,
    all.totals.rebufferRatio,
    all.errorKinds,
  ])
  const inFile = viewersRows(page).filter(([kind]) => kind === 'error')
  expect(inFile.map(([, kind, count]) => ({ kind, count }))).toEqual(all.errorKinds)
  const ofVideo = await viewingReport(owner, { ...RANGE, videoId: first })
  const json = await quality({ videoId: first })
  const shown = ({ plays: count, startupP50: p50, startupP95: p95, rebufferRatio: ratio, errors: failed }: typeof ofVideo.totals) => ({
    ...{ plays: count, startupP50Ms: p50, startupP95Ms: p95, rebufferRatio: ratio, errors: failed },
  })
  expect(shown(ofVideo.totals)).toEqual(json.totals)
  for (const dimension of QUALITY_DIMENSIONS)
    for (const { value, ...ofValue } of (await quality({ groupBy: dimension })).groups) {
      const some = await viewersReport(owner, { ...RANGE, only: { dimension, value } })
      const { errorCount = 0, ...startup } = some.quality as NonNullable<typeof some.quality>
      expect(shown({ ...startup, plays: some.totals.plays, errors: errorCount, minutesWatched: 0 }), value).toEqual(ofValue)
    }
  expect(ofVideo.days.map((day) => ({ value: day.day, ...shown(day) }))).toEqual(json.groups)
})

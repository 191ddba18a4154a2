import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db, query } from '../../platform/database/database.ts'
import { send } from '../../testing/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { startHttpServer } from '../../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../testing/make.ts'
import type { CreatedKey } from '../access/keys/create-key.ts'
import { SERVICE } from '../audit/content-access.ts'
import { keyUsage } from './key-usage.ts'
import { dayBefore } from './range.ts'
import { trafficCollector } from './requests/collector.ts'
import { usage } from './usage.ts'

await testDatabase()
const base = await startHttpServer()
let owner: AccountCtx
let videoId: string
let keys: [CreatedKey, CreatedKey]
let token: string

const ask = (path: string, key?: CreatedKey, method = 'GET', headers = {}) =>
  send(base + path, { method, headers: { ...(key ? { 'x-service-key': key.value } : {}), 'user-agent': `app/${key?.name}`, ...headers } })

/** The number of requests sent below, by kind. */
const ASKED = { reads: 7, lists: 4, missing: 3, granted: 5, refused: 6, replayed: 2, exchanges: 4, expired: 1 }
const repeat = (count: number, once: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, once))

beforeAll(async () => {
  owner = await makeAccount()
  videoId = await makeVideo(owner)
  keys = [await makeKey(owner, { name: 'First' }), await makeKey(owner, { name: 'Second' })]
  await db().apiKey.update({ where: { id: keys[1].id }, data: { dailyQuota: ASKED.granted } })
  // Another account's traffic is not counted.
  const stranger = await makeKey(await makeAccount())
  await repeat(9, () => ask('/v1/video', stranger))

  await repeat(ASKED.reads, () => ask(`/v1/video/${videoId}`, keys[0]))
  await repeat(ASKED.lists, () => ask('/v1/video', keys[1]))
  await repeat(ASKED.missing, () => ask('/v1/video/vid_missing', keys[0]))
  const issue = (headers = {}) => ask(`/v1/video/${videoId}/playback-token`, keys[1], 'POST', headers)
  const first = await issue({ 'idempotency-key': 'once' })
  token = JSON.parse(first.body).data.token
  await repeat(ASKED.replayed, () => issue({ 'idempotency-key': 'once' }))
  await repeat(ASKED.granted - 1, () => issue())
  await repeat(ASKED.refused, () => issue())
  await repeat(ASKED.exchanges, () => ask(`/v1/video/playback/manifest/${token}`))
  // Without an account: no key, and an invalid token.
  await repeat(5, () => ask('/v1/video'))
  await repeat(5, () => ask('/v1/video/playback/manifest/pt_nonsense'))
  const viewers = { accountId: owner.accountId, day: new Date(), dimension: 'device' }
  await db().accountViewerDay.create({ data: { ...viewers, value: 'Phone', plays: 7 } })
  await db().accountViewerDay.create({ data: { ...viewers, value: 'TV', plays: 4 } })
  await db().accountViewerDay.create({ data: { ...viewers, dimension: 'country', value: 'DE', plays: 11 } })
  await trafficCollector().flush()
})

const REQUESTS = ASKED.reads + ASKED.lists + ASKED.missing + ASKED.granted + ASKED.refused + ASKED.replayed + ASKED.exchanges
const TOTALS = { requests: REQUESTS, failed: ASKED.missing + ASKED.refused, issued: ASKED.granted, refused: ASKED.refused, plays: 11 }

const today = () => dayBefore(0)

it('usage counts requests exactly by day and by hour', async () => {
  const byDay = await usage(owner, { from: dayBefore(29), to: today() })
  expect(byDay.totals).toEqual(TOTALS)
  expect(byDay.points).toHaveLength(30)
  expect(byDay.points.at(-1)).toMatchObject({ at: today(), requests: REQUESTS, issued: ASKED.granted, refused: ASKED.refused })
  expect(byDay.points[0]).toMatchObject({ at: dayBefore(29), requests: 0, failed: 0, issued: 0, refused: 0 })
  const byHour = await usage(owner, { from: today(), to: today() })
  expect(byHour).toMatchObject({ unit: 'hour', totals: TOTALS, plays: [{ at: today(), plays: 11 }] })
  expect(byHour.points.at(-1)?.at).toMatch(/T\d\d:00Z$/)
  // A named range is the same by the database's clock, and the last 30 days are those of an input without a range.
  expect(await usage(owner, { range: 'today' })).toEqual(byHour)
  expect(await usage(owner, {})).toEqual(byDay)
  expect((await usage(owner, { range: 'yesterday' })).totals.requests).toBe(0)
})

it.each(['key', 'endpoint', 'status'] as const)('usage splits all requests by %s', async (split) => {
  const { series, totals } = await usage(owner, { from: dayBefore(6), to: today(), split })
  expect(series.reduce((sum, { requests }) => sum + requests, 0)).toBe(totals.requests)
  for (const { values, requests } of series) expect(values.reduce((sum, value) => sum + value, 0)).toBe(requests)
  const found = Object.fromEntries(series.map(({ name, requests }) => [name, requests]))
  const tokens = ASKED.granted + ASKED.refused + ASKED.replayed
  const expected = {
    key: { [keys[0].id]: ASKED.reads + ASKED.missing, [keys[1].id]: ASKED.lists + tokens, '': ASKED.exchanges },
    endpoint: {
      getVideo: ASKED.reads + ASKED.missing,
      listVideos: ASKED.lists,
      createPlaybackToken: tokens,
      getPlaybackManifest: ASKED.exchanges,
    },
    status: { 200: REQUESTS - ASKED.missing - ASKED.refused, 404: ASKED.missing, 429: ASKED.refused },
  }
  expect(found).toEqual(expected[split])
})

it('usage equals the counters in the database', async () => {
  const { totals } = await usage(owner, { from: today(), to: today() })
  const [rows] = await query<Record<string, number>>(
    '',
    `SELECT (SELECT sum(requests)::int FROM traffic_day WHERE account_id = $1) AS days, (SELECT sum(requests)::int FROM traffic_hour WHERE account_id = $1) AS hours,
       (SELECT sum(l)::int FROM traffic_day, unnest(latency) AS l WHERE account_id = $1) AS timed,
       (SELECT sum(requests)::int FROM key_day JOIN api_key ON id = key_id WHERE account_id = $1) AS of_keys,
       (SELECT sum(request_count)::int FROM api_key WHERE account_id = $1) AS ever,
       (SELECT sum(issued)::int FROM key_day JOIN api_key ON id = key_id WHERE account_id = $1) AS issued,
       (SELECT sum(refused)::int FROM key_day JOIN api_key ON id = key_id WHERE account_id = $1) AS refused`,
    [owner.accountId],
  )
  const { requests, issued, refused } = totals
  const withKey = requests - ASKED.exchanges
  expect(rows).toEqual({ days: requests, hours: requests, timed: requests, of_keys: withKey, ever: withKey, issued, refused })
})

it('usage sums over many writes', async () => {
  for (let round = 0; round < 3; round++) {
    await ask('/v1/video', keys[1])
    await trafficCollector().flush()
  }
  const { totals } = await usage(owner, { from: today(), to: today() })
  expect(totals.requests).toBe(REQUESTS + 3)
})

it('keyUsage returns the endpoints, latency and last use of a key', async () => {
  const { points, totals, endpoints, statuses, lastUsed } = await keyUsage(owner, { keyId: keys[0].id, range: '7d' })
  expect(points).toHaveLength(7)
  expect(totals).toMatchObject({ requests: ASKED.reads + ASKED.missing, failed: ASKED.missing, issued: 0, refused: 0 })
  expect(totals.p50).toBeGreaterThan(0)
  expect(totals.p95).toBeGreaterThanOrEqual(totals.p50 as number)
  expect(endpoints).toMatchObject([{ operation: 'getVideo', requests: ASKED.reads + ASKED.missing, failed: ASKED.missing }])
  expect(statuses).toEqual([
    { status: 200, requests: ASKED.reads },
    { status: 404, requests: ASKED.missing },
  ])
  expect(lastUsed).toMatchObject({ address: '127.0.0.1', userAgent: 'app/First' })
  const hourly = await keyUsage(owner, { keyId: keys[1].id, range: 'today' })
  expect(hourly).toMatchObject({ unit: 'hour', totals: { issued: ASKED.granted, refused: ASKED.refused } })
  expect((await keyUsage(owner, { keyId: keys[1].id, range: '30d' })).totals).toMatchObject({
    issued: ASKED.granted,
    refused: ASKED.refused,
  })
})

it('counts an exchange with an expired token for the account of its video', async () => {
  const { signToken } = await import('../delivery/tokens/token.ts')
  const before = (await usage(owner, { from: today(), to: today() })).totals
  const old = signToken(SERVICE, { videoId, jti: 'tok_old', iat: Math.floor(Date.now() / 1000) - 4_000 })
  expect((await ask(`/v1/video/playback/manifest/${old}`)).status).toBe(401)
  // In the same write as a successful one; both belong to the account.
  expect((await ask(`/v1/video/playback/manifest/${token}`)).status).toBe(200)
  await trafficCollector().flush()
  const { series, totals } = await usage(owner, { from: today(), to: today(), split: 'status' })
  expect(totals).toMatchObject({ requests: before.requests + 2, failed: before.failed + 1 })
  expect(series.find(({ name }) => name === '401')?.requests).toBe(1)
})

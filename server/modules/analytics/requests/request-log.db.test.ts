import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, pool, query } from '../../../platform/database/database.ts'
import { send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import type { CreatedKey } from '../../access/keys/create-key.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { signToken } from '../../delivery/tokens/token.ts'
import { pruneTraffic } from '../prune.ts'
import { trafficCollector } from './collector.ts'
import { countRequests } from './counters.ts'
import { exportRequests } from './export-requests.ts'
import { listRequests, requestsStatement } from './list-requests.ts'
import { watchRequests } from './request-log.ts'

await testDatabase()
const base = await startHttpServer()
let owner: AccountCtx
let key: CreatedKey
let videoId: string
const now = () => Math.floor(Date.now() / 1000)

beforeAll(async () => {
  owner = await makeAccount()
  videoId = await makeVideo(owner)
})
beforeEach(async () => {
  key = await makeKey(owner)
})

it('logs no request with an unknown key, a forged token or no credentials', async () => {
  const before = await db().loggedRequest.count()
  const real = signToken(SERVICE, { videoId, jti: 'tok_forged', iat: now() })
  const [, other = ''] = (await makeKey(owner)).value.split('ak_live_')
  for (const [path, value] of [
    ['/v1/video', ''],
    ['/v1/video', `ak_live_${other.split('').reverse().join('')}`],
    ['/v1/nowhere', ''],
    [`/v1/video/playback/manifest/${real.slice(0, -43)}${'A'.repeat(43)}`, ''],
  ] as const)
    await send(base + path, { headers: value ? { 'x-service-key': value } : {} })
  await trafficCollector().flush()
  expect(await db().loggedRequest.count()).toBe(before)
})

it.each(['LIVE', 'TEST'] as const)('stores no key and no token of a %s key, wherever the request contains it', async (environment) => {
  key = await makeKey(owner, { environment })
  const token = signToken(SERVICE, { videoId, jti: 'tok_secret', iat: now() })
  const secrets = [key.value, token, encodeURIComponent(token)]
  const headers = {
    ...{ 'user-agent': `app ${key.value}`, 'idempotency-key': key.value },
    ...{ accept: `text/${key.value}`, origin: `https://${token}.example`, 'if-none-match': `"${token}"` },
  }
  for (const path of [
    `/v1/video/playback/manifest/${token}`,
    `/v1/video/playback/manifest/${token}?videoId=${key.value}`,
    `/v1/video/${key.value}`,
    `/v1/video/${key.value.replaceAll('_', '%5F').replace('a', '%61')}`,
    `/v1/video/${token}/playback-token`,
    `/v1/video?limit=${key.value}&cursor=${token}`,
    `/v1/video?${key.value}=1&token=${token.replaceAll('.', '%2E')}`,
    `/v1/nothing/x_${key.value}/${token}`,
  ])
    for (const method of ['GET', 'POST']) await send(base + path, { method, headers: { ...headers, 'x-service-key': key.value } })
  await trafficCollector().flush()
  const rows = await query<{ row: string }>('', 'SELECT to_jsonb(request_log)::text AS row FROM request_log', [])
  expect(rows.length).toBeGreaterThan(14)
  for (const { row } of rows)
    for (const secret of [...secrets, key.value.slice(14), token.slice(-43), token.split('.')[1] as string]) {
      expect(row).not.toContain(secret)
      expect(decodeURIComponent(row.replace(/%(?![0-9a-f]{2})/gi, '%25'))).not.toContain(secret)
    }
  for (const table of ['traffic_hour', 'traffic_day', 'api_key']) {
    const [all] = await query<{ text: string | null }>('', `SELECT string_agg(to_jsonb(t)::text, ' ') AS text FROM ${table} t`, [])
    for (const secret of secrets) expect(all?.text).not.toContain(secret)
  }
})

describe('sampling', () => {
  it('samples successes with their weight and keeps refusals individually', async () => {
    await trafficCollector().flush()
    const ask = (id: string) => send(`${base}/v1/video/${id}`, { headers: { 'x-service-key': key.value } })
    await Promise.all(Array.from({ length: 60 }, () => ask(videoId)))
    await Promise.all(Array.from({ length: 30 }, () => ask('vid_absent')))
    await trafficCollector().flush()
    const rows = (await listRequests(owner, { limit: 100, keyId: key.id })).requests
    const good = rows.filter(({ status }) => status === 200)
    const bad = rows.filter(({ status }) => status === 404)
    expect(good).toHaveLength(20)
    expect(good.reduce((sum, { weight }) => sum + weight, 0)).toBe(60)
    expect(bad).toHaveLength(30)
    expect(new Set(bad.map(({ weight }) => weight))).toEqual(new Set([1]))
  })

  it('counts refusals beyond the individual ones by key, code and endpoint: loses none of 500', async () => {
    await trafficCollector().flush()
    const [one, other] = [await makeKey(owner), await makeKey(owner)]
    const ask = (value: string, id: string, method = 'GET') =>
      send(`${base}/v1/video/${id}${method === 'POST' ? '/playback-token' : ''}`, { method, headers: { 'x-service-key': value } })
    const wanted = [
      ...Array.from({ length: 250 }, () => () => ask(one.value, 'vid_absent')),
      ...Array.from({ length: 150 }, () => () => ask(other.value, 'vid_absent')),
      ...Array.from({ length: 99 }, () => () => ask(one.value, 'vid_absent', 'POST')),
      () => send(`${base}/v1/video?limit=no`, { headers: { 'x-service-key': other.value } }),
    ]
    await Promise.all(wanted.map((call) => call()))
    await trafficCollector().flush()
    const all = async (keyId: string) => (await listRequests(owner, { limit: 1_000, keyId })).requests
    const rows = [...(await all(one.id)), ...(await all(other.id))]
    const stoodFor = (of: (row: (typeof rows)[number]) => boolean) => rows.filter(of).reduce((sum, { weight }) => sum + weight, 0)
    const [GET, POST] = ['getVideo', 'createPlaybackToken']
    expect([
      stoodFor((row) => row.keyId === one.id && row.operation === GET),
      stoodFor((row) => row.keyId === other.id && row.operation === GET),
      stoodFor((row) => row.operation === POST),
      stoodFor(({ code }) => code === 'INVALID_REQUEST'),
    ]).toEqual([250, 150, 99, 1])
    // Two hundred individual rows, and one for each kind beyond them, over two intervals at most.
    expect(rows.length).toBeLessThan(450)
  })

  it('selects each success with the same probability', async () => {
    const { Sample } = await import('./sample.ts')
    const counts = new Array<number>(40).fill(0)
    for (let round = 0; round < 2_000; round++) {
      const sample = new Sample(10)
      for (let at = 0; at < 40; at++) sample.offer(false, (call) => call as never, at as never, {} as never, undefined)
      for (const { entry, weight } of sample.entries()) {
        expect(weight).toBe(4)
        counts[entry as unknown as number] = (counts[entry as unknown as number] as number) + 1
      }
    }
    // 500 expected for each; 6 standard deviations of √(2000 · ¼ · ¾).
    for (const count of counts) expect(Math.abs(count - 500)).toBeLessThan(116)
  })

  it('a failed write of the log affects no request and no counter', async () => {
    await query('', 'ALTER TABLE request_log RENAME TO request_log_away', [])
    const { status } = await send(`${base}/v1/video`, { headers: { 'x-service-key': key.value } })
    await trafficCollector().flush()
    await query('', 'ALTER TABLE request_log_away RENAME TO request_log', [])
    expect(status).toBe(200)
    expect((await db().apiKey.findUniqueOrThrow({ where: { id: key.id } })).requestCount).toBe(1n)
  })
})

describe('listRequests', () => {
  it('filters by key, endpoint, outcome and time, and continues at its cursor', async () => {
    const ask = (path: string, method = 'GET') => send(base + path, { method, headers: { 'x-service-key': key.value } })
    for (const path of ['/v1/video', `/v1/video/${videoId}`, '/v1/video/vid_absent', '/v1/video?limit=no']) await ask(path)
    await ask(`/v1/video/${videoId}/playback-token`, 'POST')
    await trafficCollector().flush()
    const paths = async (filter: object) =>
      (await listRequests(owner, { limit: 50, keyId: key.id, ...filter })).requests.map(({ path }) => path)
    expect(await paths({})).toHaveLength(5)
    expect(await paths({ operation: 'listVideos' })).toEqual(['/v1/video', '/v1/video'])
    expect(await paths({ outcome: 'failed' })).toEqual(['/v1/video', '/v1/video/vid_absent'])
    expect(await paths({ outcome: '4xx' })).toHaveLength(2)
    expect(await paths({ outcome: '2xx' })).toHaveLength(3)
    expect(await paths({ outcome: 'VIDEO_NOT_FOUND' })).toEqual(['/v1/video/vid_absent'])
    expect(await paths({ search: videoId })).toHaveLength(2)
    for (const search of ['127.0.0.1', '127.0.0']) expect(await paths({ search })).toHaveLength(5)
    for (const search of ['%', '127.0.0.2']) expect(await paths({ search })).toEqual([])
    expect(await paths({ from: new Date(Date.now() + 60_000).toISOString() })).toEqual([])
    expect(await paths({ to: new Date(Date.now() + 60_000).toISOString() })).toHaveLength(5)
    expect(await paths({ outcome: '404' })).toEqual(['/v1/video/vid_absent'])
    expect(await paths({ outcome: '200', videoId })).toEqual([`/v1/video/${videoId}/playback-token`, `/v1/video/${videoId}`])
    expect(await paths({ videoId: 'vid_absent' })).toEqual(['/v1/video/vid_absent'])
    for (const address of ['127.0.0.1', '127.0.0.0/8', '127.1.2.3/8', '::ffff:127.0.0.1', '::ffff:127.0.0.0/104'])
      expect(await paths({ address })).toHaveLength(5)
    for (const address of ['127.0.0.2', '10.0.0.0/8', '::1', '::/0']) expect(await paths({ address })).toEqual([])
    expect(await paths({ range: '15m', from: new Date(Date.now() + 60_000).toISOString() })).toHaveLength(5)
    const first = await listRequests(owner, { limit: 3, keyId: key.id })
    const second = await listRequests(owner, { limit: 3, keyId: key.id, cursor: first.nextCursor as string })
    expect([...first.requests, ...second.requests].map(({ path }) => path)).toEqual(await paths({}))
    expect(second.nextCursor).toBeNull()
  })

  it('searches a part of a path, an address or a user agent by an index, also when there is no match', async () => {
    const ctx = await makeAccount()
    await query(
      'test-many',
      `INSERT INTO request_log (id, account_id, at, method, path, query, status, duration_ms, response_headers, address, user_agent)
       SELECT 'req_many' || n, $1, service_now() - n * interval '1 ms', 'GET', '/v1/video/' || md5(n::text), '', 200, 1, '{}',
         '10.0.0.' || n % 250, 'client ' || n % 30 FROM generate_series(1, 20000) n`,
      [ctx.accountId],
    )
    await pool().query('VACUUM ANALYZE request_log')
    const found = async (search: string) => (await listRequests(ctx, { limit: 100, search })).requests.length
    expect([await found('zebra'), await found('LIENT 7'), await found('0.0.249')]).toEqual([0, 100, 80])
    const { text, values } = requestsStatement(ctx, { columns: 'r.id', filter: { search: 'zebra' }, cursor: undefined, take: 50 })
    const { rows } = await pool().query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS OFF) ${text}`, values)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Bitmap Index Scan on request_log_\d+_account_id_path_address_user_agent_idx/)
    expect(
      [...plan.matchAll(/Rows Removed by (?:Filter|Index Recheck): (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0),
    ).toBeLessThan(100)
  })

  it('names the video of a request and of a token exchange, but none of another account', async () => {
    const mine = await makeVideo(owner)
    const theirs = await makeVideo(await makeAccount())
    for (const id of [mine, theirs]) await send(`${base}/v1/video/${id}`, { headers: { 'x-service-key': key.value } })
    await send(`${base}/v1/video/playback/manifest/${signToken(SERVICE, { videoId: mine, jti: 'tok_named', iat: now() })}`)
    await trafficCollector().flush()
    const { title } = await db().video.findUniqueOrThrow({ where: { id: mine } })
    const named = async (videoId: string) =>
      (await listRequests(owner, { limit: 50, videoId })).requests.map(({ videoTitle }) => videoTitle)
    expect(await named(mine)).toEqual([title, title])
    // The path of an exchange does not name the video.
    expect((await listRequests(owner, { limit: 50, search: mine })).requests).toHaveLength(2)
    expect(await named(theirs)).toEqual([null])
  })

  it('exports all requests of a filter as CSV, in parts', async () => {
    const at = (index: number) => new Date(Date.now() - index * 1_000)
    const call = { accountId: owner.accountId, method: 'GET', path: '/=cmd', query: '', status: 200, durationMs: 0.04, responseHeaders: {} }
    await db().loggedRequest.createMany({
      data: Array.from({ length: 2_001 }, (_, index) => ({ ...call, id: `req_csv${index}`, at: at(index), keyId: key.id })),
    })
    const parts: string[] = []
    for await (const part of exportRequests(owner, { keyId: key.id, outcome: '2xx' })) parts.push(part)
    const [head, ...rows] = parts.join('').trim().split('\r\n')
    expect(parts).toHaveLength(12)
    expect(head).toMatch(/^time_utc,request_id,method,path,.*,requests_represented$/)
    expect(new Set(rows.map((row) => row.split(',')[1])).size).toBe(2_001)
    expect(rows[0]).toContain(`,req_csv0,GET,/=cmd,,,200,,0.04,${key.id},`)
  })

  it('counts requests by status exactly where the log is a sample', async () => {
    await trafficCollector().flush()
    const ask = (path: string) => send(base + path, { headers: { 'x-service-key': key.value } })
    await Promise.all(Array.from({ length: 90 }, (_, index) => ask(index < 50 ? '/v1/video' : `/v1/video/vid_absent${index}`)))
    await trafficCollector().flush()
    const counts = (filter: object) => countRequests(owner, { keyId: key.id, ...filter })
    const both = [
      { status: 200, requests: 50 },
      { status: 404, requests: 40 },
    ]
    for (const filter of [{}, { range: '15m' }, { range: '24h' }]) expect((await counts(filter)).statuses).toEqual(both)
    expect((await counts({ operation: 'listVideos' })).statuses).toEqual([both[0]])
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000
    const before = { from: new Date(hour - 7_200_000).toISOString(), to: new Date(hour - 3_600_000).toISOString() }
    expect(await counts(before)).toEqual({ from: new Date(before.from), to: new Date(before.to), statuses: [] })
    // A range that begins or ends within an hour counts the whole hour.
    const touched = await counts({ from: new Date(hour - 1).toISOString(), to: new Date(hour + 1).toISOString() })
    expect([touched.from.getTime(), touched.to.getTime()]).toEqual([hour - 3_600_000, hour + 3_600_000])
    expect((await countRequests(await makeAccount(), { keyId: key.id })).statuses).toEqual([])
  })

  it('notifies watchRequests of the account with new entries', async () => {
    const stranger = await makeAccount()
    const ending = new AbortController()
    const received: string[] = []
    const follow = async (ctx: AccountCtx, name: string) => {
      for await (const { type } of watchRequests(ctx, ending.signal)) received.push(`${name} ${type}`)
    }
    const both = Promise.all([follow(owner, 'mine'), follow(stranger, 'theirs')])
    await expect.poll(() => received.length).toBe(2)
    await send(`${base}/v1/video`, { headers: { 'x-service-key': key.value } })
    await trafficCollector().flush()
    await expect.poll(() => received.length).toBe(3)
    ending.abort()
    await both
    expect(received.sort()).toEqual(['mine more', 'mine more', 'theirs more'])
  })
})

it('pruneTraffic deletes requests older than 7 days and hours older than 35, and nothing newer', async () => {
  const ages = [0, 6.9, 7.1, 34.9, 35.1, 400]
  const at = (days: number) => new Date(Date.now() - days * 86_400_000)
  const call = { accountId: owner.accountId, method: 'GET', path: '/v1/video', query: '', status: 200, durationMs: 1, responseHeaders: {} }
  await db().loggedRequest.createMany({ data: ages.map((days) => ({ ...call, id: `req_aged${days}`, at: at(days) })) })
  const count = { accountId: owner.accountId, keyId: 'key_aged', operation: 'listVideos', status: 200, requests: 1, latency: [1] }
  await db().trafficHour.createMany({ data: ages.map((days) => ({ ...count, hour: at(days) })) })
  await pruneTraffic()
  const calls = await db().loggedRequest.findMany({ where: { id: { startsWith: 'req_aged' } }, select: { id: true } })
  expect(calls.map(({ id }) => id).sort()).toEqual(['req_aged0', 'req_aged6.9'])
  expect(await db().trafficHour.count({ where: { keyId: 'key_aged' } })).toBe(4)
})

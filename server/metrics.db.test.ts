import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { makeAdminServer } from './http/admin-server.ts'
import { declareDraining, declareStarting } from './http/health.ts'
import { JOBS } from './jobs.ts'
import { METRICS } from './metrics.ts'
import { services } from './platform/container.ts'
import { db } from './platform/database/database.ts'
import { enqueue, startQueue, stopQueue } from './platform/job-queue.ts'
import { readFamilies } from './platform/observe/metrics-text.ts'
import { storage } from './platform/storage/storage.ts'
import { send } from './testing/client.ts'
import { testDatabase } from './testing/database.ts'
import { startHttpServer } from './testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from './testing/make.ts'
import { emitMany, makeEndpoint } from './testing/make-endpoint.ts'
import { provide } from './testing/settings.ts'

await testDatabase()
provide({ ROLES: 'web,worker', ACCOUNT_FREE_TOKENS: '1' })
const service = await startHttpServer()
await startQueue(JOBS)
afterAll(stopQueue)

const admin = makeAdminServer(async () => [await readFamilies(METRICS)])
await new Promise<void>((resolve) => admin.listen(0, '127.0.0.1', resolve))
afterAll(() => void admin.close())
const operator = `http://127.0.0.1:${(admin.address() as AddressInfo).port}`

/** Returns the series of a response, by name and labels. */
async function scrape(): Promise<Record<string, number>> {
  const { status, headers, body } = await send(`${operator}/metrics`)
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  const lines = body.split('\n').filter((line) => line && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}
/** Lets the next scrape read the values of the database again. */
const letAge = () => services().metricRuns.byKey.clear()

test('every metric can be read, on an empty installation too', async () => {
  await scrape()
  const series = await scrape()
  expect(series.reelgate_metrics_read_errors_total).toBe(0)
  const { body } = await send(`${operator}/metrics`)
  expect([...body.matchAll(/^# TYPE (reelgate_\w+)/gm)].map(([, name]) => name)).toEqual(METRICS.map(({ name }) => name))
  expect(series).toMatchObject({
    'reelgate_readiness{state="ok"}': 1,
    reelgate_listener_live: 1,
    reelgate_database_pool_waiting: 0,
    'reelgate_jobs_waiting{kind="mail.send"}': 0,
    'reelgate_transcode_queue_videos{state="due"}': 0,
    'reelgate_transcripts_open{state="due"}': 0,
    'reelgate_webhook_oldest_due_seconds{endpoints="working"}': 0,
    reelgate_ledger_close_lag_seconds: 0,
  })
  expect(series['reelgate_disk_free_bytes{volume="media"}']).toBeGreaterThan(0)
})

test('requests are counted by route, method and class of status, however the address varies', async () => {
  const ctx = await makeAccount()
  const headers = { 'x-service-key': (await makeKey(ctx)).value }
  const videos = [await makeVideo(ctx), await makeVideo(ctx)]
  const before = await scrape()
  const get = (path: string, method = 'GET') => send(service + path, { headers, method })
  for (const id of [...videos, 'vid_unknown', '%2e%2e']) await get(`/v1/video/${id}`)
  await send(`${service}/v1/video`)
  await get('/v1/video', 'PROPFIND')
  for (const path of ['/v1/nothing', '/v1/other/nothing', '/cdn/nothing']) await get(path)
  for (const path of ['/', '/videos', '/embed/vid_1', '/api/trpc/a.b', '/readyz']) await get(path)
  for (const id of videos) await get(`/v1/video/${id}/playback-token`, 'POST')
  await vi.waitFor(async () => {
    const after = await scrape()
    const more = Object.entries(after)
      .map(([name, value]) => [name, value - (before[name] ?? 0)] as const)
      .filter(([name, value]) => value > 0 && /^reelgate_(http_requests|quota_)|_duration_seconds_count\{route/.test(name))
    expect(Object.fromEntries(more)).toEqual({
      'reelgate_http_requests_total{route="/v1/video/{videoId}",method="GET",status="2xx"}': 2,
      'reelgate_http_requests_total{route="/v1/video/{videoId}",method="GET",status="4xx"}': 2,
      'reelgate_http_request_duration_seconds_count{route="/v1/video/{videoId}",method="GET"}': 4,
      'reelgate_http_requests_total{route="/v1/video",method="GET",status="4xx"}': 1,
      'reelgate_http_request_duration_seconds_count{route="/v1/video",method="GET"}': 1,
      'reelgate_http_requests_total{route="/v1/video",method="other",status="4xx"}': 1,
      'reelgate_http_request_duration_seconds_count{route="/v1/video",method="other"}': 1,
      'reelgate_http_requests_total{route="/(not found)",method="GET",status="4xx"}': 3,
      'reelgate_http_request_duration_seconds_count{route="/(not found)",method="GET"}': 3,
      'reelgate_http_requests_total{route="/v1/video/{videoId}/playback-token",method="POST",status="2xx"}': 1,
      'reelgate_http_requests_total{route="/v1/video/{videoId}/playback-token",method="POST",status="4xx"}': 1,
      'reelgate_http_request_duration_seconds_count{route="/v1/video/{videoId}/playback-token",method="POST"}': 2,
      'reelgate_http_requests_total{route="/(pages)",method="GET",status="4xx"}': 2,
      'reelgate_http_request_duration_seconds_count{route="/(pages)",method="GET"}': 2,
      'reelgate_http_requests_total{route="/embed",method="GET",status="4xx"}': 1,
      'reelgate_http_request_duration_seconds_count{route="/embed",method="GET"}': 1,
      'reelgate_http_requests_total{route="/api/trpc",method="GET",status="4xx"}': 1,
      'reelgate_http_request_duration_seconds_count{route="/api/trpc",method="GET"}': 1,
      'reelgate_http_requests_total{route="/readyz",method="GET",status="2xx"}': 1,
      'reelgate_http_request_duration_seconds_count{route="/readyz",method="GET"}': 1,
      reelgate_quota_grants_total: 1,
      'reelgate_quota_refusals_total{reason="account_free"}': 1,
    })
    expect(after['reelgate_cache_requests_total{cache="keys",result="hit"}']).toBeGreaterThan(3)
    expect(Object.keys(after).filter((name) => /(acc|key|vid|usr|rlg)_\w{12}/.test(name))).toEqual([])
  })
})

test('queues and lags are those of the database', async () => {
  const ctx = await makeAccount()
  const { id: keyId } = await makeKey(ctx)
  await makeVideo(ctx, { status: 'PENDING' })
  await db().$transaction((tx) => enqueue(tx, JOBS['mail.send'], { to: 'a@example.com', subject: 'A', text: 'B' }))
  const working = await makeEndpoint(ctx, 'https://example.com/a')
  const failing = await makeEndpoint(ctx, 'https://example.com/b')
  await emitMany(ctx, 1)
  for (const text of [
    `UPDATE transcode_queue SET queued_at = now() - interval '500 s'`,
    `UPDATE transcode_task SET due_at = now() - interval '500 s'`,
    `UPDATE pgboss.job SET start_after = now() - interval '200 s' WHERE name = 'mail.send'`,
    `INSERT INTO charge_hour (key_id, account_id, hour, tokens, cost)
     VALUES ('${keyId}', '${ctx.accountId}', date_trunc('hour', service_now(), 'UTC') - interval '3 h', 1, 0)`,
    `INSERT INTO deletion (id, account_id, kind, subject, deleted_at, purged_at, rows)
     VALUES ('del_1', '${ctx.accountId}', 'video.deletion', 'vid_1', now(), now() - interval '400 s', '{}')`,
    `UPDATE webhook_endpoint SET failing_since = now() WHERE id = '${failing.id}'`,
    `UPDATE webhook_queue SET due_at = now() - interval '300 s' WHERE endpoint_id = '${working.id}'`,
    `UPDATE webhook_queue SET due_at = now() - interval '900 s' WHERE endpoint_id = '${failing.id}'`,
  ])
    await db().$executeRawUnsafe(text)
  await storage().put('sources/probe', Buffer.from('x'))
  letAge()
  const series = await scrape()
  expect(series).toMatchObject({
    reelgate_metrics_read_errors_total: 0,
    'reelgate_transcode_queue_videos{state="due"}': 1,
    'reelgate_jobs_waiting{kind="mail.send"}': 1,
    reelgate_ledger_open_hours: 1,
    reelgate_media_removals_pending: 1,
    reelgate_webhook_deliveries_pending: 2,
    'reelgate_storage_operation_duration_seconds_count{operation="put"}': 1,
  })
  const between = (name: string, least: number, most = least + 120) => {
    expect([name, series[name]]).toEqual([name, expect.any(Number)])
    expect(series[name], name).toBeGreaterThanOrEqual(least)
    expect(series[name], name).toBeLessThan(most)
  }
  between('reelgate_transcode_queue_oldest_seconds', 500)
  between('reelgate_jobs_oldest_waiting_seconds{kind="mail.send"}', 200)
  between('reelgate_ledger_close_lag_seconds', 7_200, 10_800)
  between('reelgate_media_removal_lag_seconds', 400)
  between('reelgate_webhook_oldest_due_seconds{endpoints="working"}', 300)
  between('reelgate_webhook_oldest_due_seconds{endpoints="failing"}', 900)
})

test('alerts and dashboards use series that exist, and each metric of the service is in a dashboard', async () => {
  const series = Object.keys(await scrape())
  const { body } = await send(`${operator}/metrics`)
  const declared = [...body.matchAll(/^# TYPE (\w+) (\w+)/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
  )
  const read = (path: string) => readFileSync(join(import.meta.dirname, '../deploy', path), 'utf8')
  const dashboard = read('grafana/dashboards/reelgate.json').replaceAll('\\"', '"')
  const texts = [read('prometheus/reelgate.rules.yml'), dashboard, readFileSync(join(import.meta.dirname, '../docs/runbooks.md'), 'utf8')]
  const selectors = texts.flatMap((text) => [...text.matchAll(/\b((?:reelgate|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)])
  expect(selectors.length).toBeGreaterThan(100)
  const used = [...new Set(selectors.map(([, name = '']) => name))]
  expect(used.filter((name) => !declared.includes(name))).toEqual([])
  // Series of routes and results appear with their first event; values of other labels exist from the start.
  const given = selectors.flatMap(([, name = '', labels = '']) =>
    [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => ({ name, label, value })),
  )
  const wrong = given.filter(({ name, label, value }) => {
    const own = series.filter((one) => one.startsWith(`${name}{`))
    return own.length > 0 && !['job', 'status'].includes(label as string) && !own.some((one) => one.includes(`${label}="${value}"`))
  })
  expect(wrong).toEqual([])
  const shown = METRICS.map(({ name }) => name).filter((name) => !dashboard.includes(name))
  expect(shown).toEqual([])
})

test('the port has health and metrics only, and reports a start and an end', async () => {
  const status = async (path: string, method = 'GET') => (await send(operator + path, { method })).status
  expect([await status('/healthz'), await status('/readyz'), await status('/v1/video'), await status('/')]).toEqual([200, 200, 404, 404])
  expect(await status('/metrics', 'POST')).toBe(405)
  expect((await send(`${service}/metrics`)).status).toBe(404)
  const declareStarted = declareStarting()
  expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503])
  declareStarted()
  expect(await status('/readyz')).toBe(200)
  declareDraining()
  expect((await send(`${operator}/readyz`)).body).toBe('{"status":"unavailable","checks":{"process":"draining"}}')
})

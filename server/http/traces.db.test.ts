import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { EVENTS } from '../events.ts'
import { Dispatcher } from '../modules/webhooks/delivery/dispatcher.ts'
import { emit } from '../modules/webhooks/endpoints/emit.ts'
import { services } from '../platform/container.ts'
import { db, pool, transaction, vital } from '../platform/database/database.ts'
import { makeTracing } from '../platform/observe/trace-export.ts'
import { inSpan, tracing, untraced, wantsTraces } from '../platform/observe/tracing.ts'
import { send } from '../testing/client.ts'
import { startCollector } from '../testing/collector.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { makeEndpoint } from '../testing/make-endpoint.ts'
import { startReceiver } from '../testing/services/receiver.ts'
import { POOLS, provide, renew } from '../testing/settings.ts'
import { closeHttpServer, makeHttpServer } from './http-server.ts'

await testDatabase()
const collector = await startCollector()
provide({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  DATABASE_POOL: '1',
})

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = `00-${TRACE}-00f067aa0ba902b7-01`
let path: string
let headers: Record<string, string>
beforeAll(async () => {
  const owner = await makeAccount()
  const key = await makeKey(owner)
  path = `/v1/video/${await makeVideo(owner)}`
  headers = { 'x-service-key': key.value }
})

/** Records `work` with these settings; resolves with the spans that were exported. */
async function recorded(settings: Parameters<typeof provide>[0], work: () => Promise<unknown>) {
  collector.spans.length = 0
  provide({ OTEL_TRACES_SAMPLER_ARG: '', ...settings })
  services().tracing = makeTracing(['web'])
  const earlier = [pool(), vital()]
  renew(...POOLS, 'prisma')
  await work()
  await stop()
  await Promise.all(earlier.map((one) => one.end()))
  return collector.spans
}

async function stop(): Promise<void> {
  await tracing()?.stop()
  services().tracing = undefined
}
afterEach(stop)

/** Requests a video from a new server, which reads whether it records when it starts. */
async function ask(traceparent?: string): Promise<void> {
  const server = await makeHttpServer((_req, res) => res.end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await send(url + path, { headers: { ...headers, ...(traceparent && { traceparent }) } })
  await closeHttpServer(server, 1_000)
}

test('a request begins a trace of its own, which links to that of its caller', async () => {
  const [span, ...others] = (await recorded({}, () => ask(CALLER))).filter(({ kind }) => kind === 2)
  expect([span?.links.map(({ traceId }) => traceId), others]).toEqual([[TRACE], []])
  expect([span?.traceId === TRACE, span?.parentSpanId]).toEqual([false, undefined])
  expect(collector.text).toContain('"content-type":"application/x-protobuf"')
  expect(collector.resource).toMatchObject({ 'service.name': 'reelgate', 'process.pid': process.pid })
})

test('a stranger can neither force nor prevent the recording of a request', async () => {
  expect(await recorded({ OTEL_TRACES_SAMPLER_ARG: '0' }, () => ask(CALLER))).toEqual([])
  expect(await recorded({}, () => ask(CALLER.replace(/01$/, '00')))).not.toEqual([])
})

test('statements of concurrent work belong to it, although they wait for one connection', async () => {
  const spans = await recorded({}, () =>
    Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        inSpan(`work ${at}`, { parent: null }, async () => {
          for (let count = 0; count < 3; count++) await pool().query(`SELECT ${at} AS number`)
          await db().video.count()
        }),
      ),
    ),
  )
  for (let at = 0; at < 8; at++) {
    const work = spans.find(({ name }) => name === `work ${at}`)
    const children = spans.filter(({ parentSpanId }) => parentSpanId === work?.spanId)
    expect(children.filter(({ attributes }) => attributes['db.query.text'] === `SELECT ${at} AS number`)).toHaveLength(3)
    expect(children).toHaveLength(4)
  }
})

test('a failed statement shows its code and no row, and literals of statements without parameters are left out', async () => {
  const secret = 'a value of a row'
  const spans = await recorded({}, () =>
    inSpan('work', { parent: null }, async () => {
      await pool().query(`SELECT set_config('application_name', '${secret}', false)`)
      await pool()
        .query(`SELECT '${secret}'::int`)
        .catch(() => {})
      await untraced(() => pool().query('SELECT 2'))
    }),
  )
  expect(spans.map(({ name, failed, attributes }) => [name, failed, attributes['error.type']])).toEqual([
    ['SELECT', false, undefined],
    ['SELECT', true, '22P02'],
    ['work', false, undefined],
  ])
  expect(collector.text).not.toContain(secret)
})

test('events of a transaction carry its trace, later transactions of the connection none', async () => {
  const owner = await makeAccount()
  const receiver = await startReceiver()
  await makeEndpoint(owner, receiver.url)
  const send = (dedupeKey: string) =>
    db().$transaction((tx) => emit(tx, owner.accountId, 'wallet.refilled', EVENTS['wallet.refilled'].sample as never, { dedupeKey }))
  const spans = await recorded({}, async () => {
    await inSpan('work', { parent: null }, () => send('traced'))
    await send('not traced')
    const dispatcher = new Dispatcher()
    dispatcher.start()
    await expect.poll(() => receiver.log).toHaveLength(2)
    await dispatcher.stop()
  })
  const rows = await db().webhookEvent.findMany({ where: { accountId: owner.accountId }, orderBy: { seq: 'asc' } })
  const work = spans.find(({ name }) => name === 'work')
  expect(rows.map(({ traceparent }) => traceparent)).toEqual([`00-${work?.traceId}-${work?.spanId}-01`, null])
  const deliveries = spans.filter(({ name }) => name === 'deliver webhook')
  expect(deliveries.map(({ parentSpanId }) => parentSpanId).sort()).toEqual([work?.spanId, undefined].sort())
  // Receivers are third parties.
  expect(receiver.log.map((got) => got.headers.traceparent)).toEqual([undefined, undefined])
})

test('a long operation records a bounded number of statements', async () => {
  const spans = await recorded({}, () =>
    inSpan('work', { parent: null }, () =>
      transaction(async (connection) => {
        for (let count = 0; count < 600; count++) await connection.query('SELECT 1')
      }),
    ),
  )
  expect(spans).toHaveLength(501)
})

test('without a collector nothing is recorded', () => {
  expect(wantsTraces()).toBe(true)
  provide({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })
  expect(wantsTraces()).toBe(false)
})

import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test, vi } from 'vitest'
import { JOBS } from './jobs.ts'
import { SERVICE } from './modules/audit/content-access.ts'
import { signToken } from './modules/delivery/tokens/token.ts'
import { sampleClipArguments } from './modules/transcoding/quality/sample-clip.ts'
import { services } from './platform/container.ts'
import { db } from './platform/database/database.ts'
import { enqueue, startQueue, stopQueue } from './platform/job-queue.ts'
import { makeTracing } from './platform/observe/trace-export.ts'
import { inSpan } from './platform/observe/tracing.ts'
import { type ReceivedSpan, startCollector } from './testing/collector.ts'
import { testDatabase } from './testing/database.ts'
import { startHttpServer } from './testing/http-server.ts'
import { makeAccount, makeKey, makePlayable } from './testing/make.ts'
import { makeEndpoint } from './testing/make-endpoint.ts'
import { makeMediaFile } from './testing/media/media-files.ts'
import { type Receiver, startReceiver } from './testing/services/receiver.ts'
import { POOLS, provide, renew } from './testing/settings.ts'
import { cookieFor } from './testing/sign-in.ts'
import { tusClient } from './testing/tus-client.ts'
import { startWorker, stopWorker } from './worker/worker.ts'

await testDatabase()
const collector = await startCollector()
provide({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
// The packages of OpenTelemetry read these themselves.
vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer%20collector')
vi.stubEnv('OTEL_SERVICE_NAME', 'reelgate-test')
vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=testing')
services().tracing = makeTracing(['web', 'worker'])
renew(...POOLS, 'prisma')

const CALLER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const secrets: string[] = []
let videoId: string
let receiver: Receiver

/** One upload until its webhook has arrived, a few other requests, and a job; then everything is exported. */
beforeAll(async () => {
  const owner = await makeAccount()
  receiver = await startReceiver()
  await makeEndpoint(owner, `${receiver.url}/T0123/secret-of-the-receiver`)
  const baseUrl = await startHttpServer()
  // Named after the port of the server.
  const cookie = await cookieFor(owner)
  await startQueue(JOBS)
  await startWorker()

  const clip = await readFile(await makeMediaFile('tiny.mp4', sampleClipArguments({ seconds: 1, width: 320, height: 180, rate: 10 })))
  const client = tusClient(cookie)
  const path = (await client.create(baseUrl, clip.length)).headers.get('location') as string
  const { videoId: made } = (await client.send(baseUrl, path, clip, 0, { extra: { traceparent: CALLER } }).answer) as { videoId: string }
  videoId = made
  await vi.waitFor(() => expect(eventTypes(receiver)).toContain('video.processing.completed'))

  const key = await makeKey(owner)
  const playable = await makePlayable(owner)
  const token = signToken(SERVICE, { videoId: playable, jti: 'tok_a', iat: Math.floor(Date.now() / 1_000) })
  await fetch(`${baseUrl}/v1/video/${playable}?note=a-secret-in-the-query`, { headers: { 'x-service-key': key.value } })
  await fetch(`${baseUrl}/v1/video/playback/manifest/${token}`)
  await fetch(`${baseUrl}/readyz`)
  await inSpan('enqueues', { parent: null }, () => db().$transaction((tx) => enqueue(tx, JOBS['cdn.purge'], { mediaIds: [] })))
  await vi.waitFor(() => expect(jobsOf('cdn.purge')).resolves.toBe('completed'))
  secrets.push(
    cookie.split('=')[1] as string,
    key.value,
    token,
    path.split('/').at(-1) as string,
    'a-secret-in-the-query',
    'secret-of-the-receiver',
  )

  await stopWorker()
  await stopQueue()
  await services().tracing?.stop()
  services().tracing = undefined
})

const eventTypes = ({ log }: Receiver) => log.map(({ body }) => JSON.parse(body).eventType as string)
const jobsOf = async (name: string) =>
  (await db().$queryRaw<{ state: string }[]>`SELECT state::text FROM pgboss.job WHERE name = ${name} ORDER BY created_on DESC`)[0]?.state

const named = (name: string) => collector.spans.filter((span) => span.name === name)
function only(name: string): ReceivedSpan {
  const [span, ...more] = named(name)
  expect([name, more.length, span !== undefined]).toEqual([name, 0, true])
  return span as ReceivedSpan
}

test('the trace of an upload continues in its transcoding, in ffmpeg and in the delivery of its events', () => {
  const request = only('PATCH /api/upload/{upload}')
  const tasks = ['transcode plan', 'transcode video', 'transcode audio', 'transcode finish'].map(only)
  expect([request.kind, request.parentSpanId]).toEqual([2, undefined])
  for (const { traceId, parentSpanId, kind, attributes } of tasks) {
    expect([traceId, parentSpanId, kind]).toEqual([request.traceId, request.spanId, 5])
    expect(attributes).toMatchObject({ 'reelgate.video.id': videoId, 'reelgate.attempt': 1 })
  }

  const encoding = named('ffmpeg')
  expect(encoding.length).toBeGreaterThan(0)
  for (const span of [...encoding, ...named('ffprobe')])
    expect([span.traceId, tasks.map(({ spanId }) => spanId)]).toEqual([request.traceId, expect.arrayContaining([span.parentSpanId])])

  const types = eventTypes(receiver)
  const deliveries = named('deliver webhook')
  const expected = ['video.created', 'video.playable', 'video.processing.completed', 'video.processing.started']
  expect([types.sort(), deliveries.length]).toEqual([expected, 4])
  for (const { traceId, attributes } of deliveries) {
    expect(traceId).toBe(request.traceId)
    expect(attributes).toMatchObject({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' })
  }
  // A task is leased, and the start emitted, before its work begins.
  const causes = [request, ...tasks].map(({ spanId }) => spanId)
  for (const { parentSpanId } of deliveries) expect(causes).toContain(parentSpanId)
  expect(deliveries.map(({ parentSpanId }) => parentSpanId)).toContain(request.spanId)
})

test('statements are parts of what runs them, without their values', () => {
  const request = only('PATCH /api/upload/{upload}')
  const insert = collector.spans.find(({ name, traceId }) => name === 'INSERT video' && traceId === request.traceId)
  expect(insert).toMatchObject({ parentSpanId: request.spanId, kind: 3, failed: false })
  expect(insert?.attributes).toMatchObject({ 'db.system.name': 'postgresql', 'db.operation.name': 'INSERT' })
  expect(String(insert?.attributes['db.query.text'])).toMatch(/INSERT INTO .*\$1/s)
  const parents = new Set(collector.spans.filter(({ kind }) => kind !== 3).map(({ spanId }) => spanId))
  const statements = collector.spans.filter(({ attributes }) => 'db.query.text' in attributes)
  expect(statements.filter(({ parentSpanId }) => !parentSpanId || !parents.has(parentSpanId))).toEqual([])
  // Renewals of leases and progress, which repeat while a video is transcoded, are left out.
  expect(statements.filter(({ attributes }) => String(attributes['db.query.text']).includes('UPDATE transcode_task AS t'))).toEqual([])
})

test('a job continues the trace of what enqueued it', () => {
  const from = only('enqueues')
  const job = only('process cdn.purge')
  expect([job.traceId, job.parentSpanId, job.kind]).toEqual([from.traceId, from.spanId, 5])
})

test('a request is named by its route, and links to the trace of its caller instead of joining it', () => {
  const upload = only('PATCH /api/upload/{upload}')
  expect(upload.traceId).not.toBe('4bf92f3577b34da6a3ce929d0e0e4736')
  expect(upload.links).toMatchObject([{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }])
  const read = only('GET /v1/video/{videoId}')
  expect(read.attributes).toMatchObject({
    'http.request.method': 'GET',
    'http.route': '/v1/video/{videoId}',
    'http.response.status_code': 200,
    'client.address': '127.0.0.1',
    'url.path': expect.stringMatching(/^\/v1\/video\/vid_\w{22}$/),
    'reelgate.account.id': expect.stringMatching(/^acc_/),
    'reelgate.key.id': expect.stringMatching(/^key_/),
  })
  expect(collector.spans.filter(({ name }) => name.includes('readyz'))).toEqual([])
})

test('the standard variables name the service and authenticate to the collector', () => {
  expect(collector.resource).toMatchObject({
    'service.name': 'reelgate-test',
    'service.version': expect.any(String),
    'deployment.environment.name': 'testing',
  })
  expect(collector.text).toMatch(/^\/v1\/traces .*"authorization":"Bearer collector"/)
})

test('nothing that is exported holds a secret, and receivers of webhooks get no trace', () => {
  expect(secrets.map((secret) => secret.length > 15)).toEqual(secrets.map(() => true))
  expect(secrets.filter((secret) => collector.text.includes(secret))).toEqual([])
  expect(receiver.log.map(({ headers }) => headers.traceparent)).toEqual([undefined, undefined, undefined, undefined])
})

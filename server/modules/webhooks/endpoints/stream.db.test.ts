import { expect, test } from 'vitest'
import { EVENT_TYPES, EVENTS, sampleData } from '../../../events.ts'
import { db, pool } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { areEventsSettled, emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { streamEvents } from './stream.ts'

await testDatabase()
const baseUrl = await startHttpServer()

async function caller(scopes: ('video:read' | 'webhook:read')[] = ['webhook:read']) {
  const ctx = await makeAccount()
  const { value } = await makeKey(ctx, { scopes })
  const call = async (path: string, method = 'GET') => {
    const response = await fetch(baseUrl + path, { method, headers: { 'x-service-key': value } })
    return { status: response.status, body: (await response.json()) as never as Body }
  }
  return { ctx, call }
}
interface Body {
  data: { eventId: string; eventType: string; data: unknown }[] & { eventId: string; eventType: string; data: unknown }
  pagination: { nextCursor: string | null; hasMore: boolean; position: string }
  error: { code: string; details: unknown; retryAfter?: number }
}

test('streamEvents starts at the present and returns every later event in pages with the webhook payload', async () => {
  const { ctx, call } = await caller()
  await emitMany(ctx, 3)
  // Later than every transaction that runs now, also those of other databases of the server: events above one are not settled.
  await expect.poll(areEventsSettled).toBe(true)
  const start = await call('/v1/event')
  expect(start).toMatchObject({ status: 200, body: { data: [], pagination: { nextCursor: null, hasMore: false } } })
  const ids = await emitMany(ctx, 5)
  await emitMany(await makeAccount(), 1)
  const seen: string[] = []
  let { position } = start.body.pagination
  for (let more = true; more; ) {
    const { body } = await call(`/v1/event?limit=2&wait=20&cursor=${position}`)
    for (const event of body.data) expect(event.data).toEqual(EVENTS['video.processing.completed'].sample)
    seen.push(...body.data.map(({ eventId }) => eventId))
    ;({ position } = body.pagination)
    more = body.pagination.hasMore || seen.length < 5
  }
  expect(seen).toEqual(ids)
})

test('streamEvents returns as soon as an event exists', async () => {
  const { ctx, call } = await caller()
  const { position } = (await call('/v1/event')).body.pagination
  const waiting = call(`/v1/event?wait=25&cursor=${position}`)
  const [id] = await emitMany(ctx, 1)
  expect((await waiting).body.data.map(({ eventId }) => eventId)).toEqual([id])
})

test('streamEvents lets 20 requests of an account wait, refuses the rest at once, and lets other accounts wait', async () => {
  const [mine, theirs] = [await caller(), await caller()]
  const { position } = (await mine.call('/v1/event')).body.pagination
  const poll = `/v1/event?wait=25&cursor=${position}`
  const refused: Body['error'][] = []
  const waiting = Array.from({ length: 25 }, async () => {
    const { body } = await mine.call(poll)
    if (body.error) refused.push(body.error)
    return body
  })
  await expect.poll(() => refused.length).toBe(5)
  for (const error of refused)
    expect(error).toMatchObject({ code: 'TOO_MANY_ATTEMPTS', retryAfter: 10, details: { reason: 'queue', queue: 'long-answers' } })
  // A request that does not wait is answered, as are those of another account.
  expect((await mine.call(`/v1/event?cursor=${position}`)).status).toBe(200)
  const other = theirs.call(poll)
  const [[event], [theirEvent]] = [await emitMany(mine.ctx, 1), await emitMany(theirs.ctx, 1)]
  expect((await other).body.data).toMatchObject([{ eventId: theirEvent }])
  const answered = (await Promise.all(waiting)).filter(({ error }) => !error)
  expect(answered.map(({ data }) => data.map(({ eventId }) => eventId))).toEqual(Array(20).fill([event]))
  const again = mine.call(`/v1/event?wait=25&cursor=${answered[0]?.pagination.position}`)
  await emitMany(mine.ctx, 1)
  expect((await again).status).toBe(200)
})

test('streamEvents does not skip events of a transaction that ends late', async () => {
  const { ctx } = await caller()
  const begin = await streamEvents(ctx, { wait: 0, limit: 100 })
  const late = await pool().connect()
  await late.query('BEGIN')
  const sample = JSON.stringify(EVENTS['wallet.refilled'].sample)
  await late.query("SELECT emit_event('evt_late', $1, 'wallet.refilled', $2)", [ctx.accountId, sample])
  const [early] = await emitMany(ctx, 1)
  const between = await streamEvents(ctx, { cursor: begin.position, wait: 0, limit: 100 })
  await late.query('COMMIT')
  late.release()
  const seen = between.events.map(({ eventId }) => eventId)
  let cursor = between.position
  await expect
    .poll(async () => {
      const page = await streamEvents(ctx, { cursor, wait: 1, limit: 100 })
      cursor = page.position
      seen.push(...page.events.map(({ eventId }) => eventId))
      return [...seen].sort()
    })
    .toEqual(['evt_late', early].sort())
})

test('triggerSample emits on the stream and not to registered endpoints', async () => {
  const { ctx, call } = await caller()
  await makeEndpoint(ctx, 'https://hooks.example.com')
  const { position } = (await call('/v1/event')).body.pagination
  for (const type of EVENT_TYPES) {
    const fired = await call(`/v1/event/${type}/sample`, 'POST')
    expect(fired).toMatchObject({ status: 200, body: { data: { eventType: type, data: sampleData(type, new Date()) } } })
    const { createdAt, data } = fired.body.data as unknown as { createdAt: string; data: { resetAt?: string } }
    if (type === 'playback.token.exhausted') expect(data.resetAt && data.resetAt > createdAt).toBe(true)
  }
  const types: string[] = []
  let cursor = position
  while (types.length < EVENT_TYPES.length) {
    const { body } = await call(`/v1/event?wait=20&cursor=${cursor}`)
    types.push(...body.data.map(({ eventType }) => eventType))
    cursor = body.pagination.position
  }
  expect(types).toEqual(EVENT_TYPES)
  expect(await db().webhookDelivery.count({ where: { accountId: ctx.accountId } })).toBe(0)
})

test('streamEvents and triggerSample return errors for invalid input', async () => {
  const { call } = await caller()
  const other = await caller(['video:read'])
  for (const [path, method] of [
    ['/v1/event', 'GET'],
    ['/v1/event/wallet.refilled/sample', 'POST'],
  ] as const)
    expect(await other.call(path, method)).toMatchObject({
      status: 403,
      body: { error: { code: 'INSUFFICIENT_SCOPE', details: { needs: 'webhook:read' } } },
    })
  for (const path of [
    '/v1/event?cursor=1',
    '/v1/event?cursor=1.x',
    '/v1/event?cursor=',
    '/v1/event?wait=26',
    '/v1/event?wait=x',
    '/v1/event?limit=0',
    '/v1/event?limit=101',
  ])
    expect([path, (await call(path)).body.error?.code]).toEqual([path, 'INVALID_REQUEST'])
  expect(await call('/v1/event/video.exploded/sample', 'POST')).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } })
})

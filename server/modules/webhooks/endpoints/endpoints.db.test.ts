import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import type { ErrorCode } from '../../../errors.ts'
import { EVENT_TYPES, sampleData } from '../../../events.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { type Receiver, startReceiver } from '../../../testing/services/receiver.ts'
import { provide } from '../../../testing/settings.ts'
import { Dispatcher } from '../delivery/dispatcher.ts'
import { getDelivery, listDeliveries } from '../delivery/list-deliveries.ts'
import { replayDelivery, replaySince, sendTest } from '../delivery/replay.ts'
import { signatureHeader } from '../delivery/signature.ts'
import { enableEndpoint } from './disable-endpoint.ts'
import { createEndpoint, editEndpoint, removeEndpoint, rotateSecret } from './edit-endpoints.ts'
import { listEvents } from './event-log.ts'
import { getEndpoint, listEndpoints } from './list-endpoints.ts'
import { MAX_ENDPOINTS } from './schema.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })

let receiver: Receiver
let status = 200
let dispatcher: Dispatcher
beforeAll(async () => {
  receiver = await startReceiver((_got, res) => res.writeHead(status).end())
  dispatcher = new Dispatcher({ factor: 0.0001 })
  dispatcher.start()
})
afterAll(() => dispatcher.stop())

/** The values that makeEndpoint sets. */
const asMade = (url: string) => ({ url, description: '', events: EVENT_TYPES, retrySchedule: 'standard' })

const refusedWith = (code: ErrorCode) => expect.objectContaining({ code })
const settled = (ctx: AccountCtx, id: string) =>
  expect.poll(async () => (await listDeliveries(ctx, { endpointId: id })).deliveries.map((one) => one.status))

test('createEndpoint returns the secret once, stores it sealed, and writes an audit record without it', async () => {
  const ctx = await makeAccount()
  const { id, secret, url } = await createEndpoint(ctx, {
    url: 'https://Hooks.Example.com:443/a?b=c#d',
    description: 'Mine',
    retrySchedule: 'standard',
    events: ['wallet.refilled'],
  })
  expect([url, secret]).toEqual(['https://hooks.example.com/a?b=c', expect.stringMatching(/^whsec_[0-9A-Za-z]{32}$/)])
  const row = await db().webhookEndpoint.findUniqueOrThrow({ where: { id } })
  expect(Buffer.from(row.secret).includes(secret)).toBe(false)
  expect(JSON.stringify([await listEndpoints(ctx), await getEndpoint(ctx, { endpointId: id })])).not.toContain(secret)
  const entries = await db().auditEntry.findMany({ where: { accountId: ctx.accountId } })
  expect(entries).toMatchObject([
    { action: 'webhook.create', subject: id, after: { url, description: 'Mine', events: ['wallet.refilled'] } },
  ])
  expect(JSON.stringify(entries, (_key, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(secret)
})

test('createEndpoint refuses forbidden URLs with the name of the field', async () => {
  const ctx = await makeAccount()
  for (const url of [
    'http://example.com',
    'https://10.0.0.1/',
    'https://localhost/',
    'https://[::1]/',
    'ftp://example.com',
    'not an address',
    'https://u:p@example.com',
  ])
    await expect(
      createEndpoint(ctx, { url, description: '', events: ['wallet.refilled'], retrySchedule: 'standard' }),
    ).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      extras: { details: [{ path: 'url' }] },
    })
  expect(await listEndpoints(ctx)).toEqual([])
})

test('all changes return FORBIDDEN without the permission webhooks.change', async () => {
  const ctx = await makeAccount()
  const { id: endpointId } = await makeEndpoint(ctx, receiver.url)
  const [eventId = ''] = await emitMany(ctx, 1)
  const viewer = { ...ctx, actor: { ...ctx.actor, role: 'VIEWER' } } as AccountCtx
  const before = await db().auditEntry.count()
  for (const change of [
    createEndpoint(viewer, { url: 'https://example.com', description: '', events: ['wallet.refilled'], retrySchedule: 'standard' }),
    editEndpoint(viewer, {
      endpointId,
      url: 'https://example.com',
      description: '',
      events: ['wallet.refilled'],
      retrySchedule: 'standard',
      expected: asMade(receiver.url),
    }),
    rotateSecret(viewer, { endpointId }),
    enableEndpoint(viewer, { endpointId, enabled: false }),
    removeEndpoint(viewer, { endpointId }),
    sendTest(viewer, { endpointId, type: 'wallet.refilled' }),
    replayDelivery(viewer, { endpointId, eventId }),
    replaySince(viewer, { endpointId, which: 'failed', since: new Date(0) }),
  ])
    await expect(change).rejects.toEqual(refusedWith('FORBIDDEN'))
  expect(await db().auditEntry.count()).toBe(before)
  expect(await listEndpoints(viewer)).toHaveLength(1)
})

test('createEndpoint keeps the limit of endpoints under concurrent calls', async () => {
  const ctx = await makeAccount()
  for (let made = 0; made < MAX_ENDPOINTS - 2; made++) await makeEndpoint(ctx, receiver.url)
  const add = () =>
    createEndpoint(ctx, { url: 'https://example.com', description: '', events: ['wallet.refilled'], retrySchedule: 'standard' })
  const outcomes = await Promise.allSettled([add(), add(), add(), add(), add()])
  expect(outcomes.filter((one) => one.status === 'fulfilled')).toHaveLength(2)
  for (const one of outcomes) if (one.status === 'rejected') expect(one.reason).toEqual(refusedWith('CONFLICT'))
})

test('rotateSecret keeps both secrets for 24 hours, then only the new one, and ends older secrets at once', async () => {
  const ctx = await makeAccount()
  const { id: endpointId, secret: oldest } = await makeEndpoint(ctx, receiver.url)
  const { secret: older } = await rotateSecret(ctx, { endpointId })
  const { secret } = await rotateSecret(ctx, { endpointId })
  const signers = async () => {
    const { eventId } = await sendTest(ctx, { endpointId, type: 'wallet.refilled' })
    await expect.poll(() => receiver.log.some((one) => one.eventId === eventId)).toBe(true)
    const got = receiver.log.find((one) => one.eventId === eventId)
    const header = String(got?.headers['x-service-signature'])
    const time = Number(/^t=(\d+)/.exec(header)?.[1])
    return Object.entries({ oldest, older, secret })
      .filter(([, one]) => header.includes(signatureHeader([one], time, got?.body ?? '').split(',')[1] as string))
      .map(([name]) => name)
  }
  expect(await signers()).toEqual(['older', 'secret'])
  await db().$executeRaw`UPDATE webhook_endpoint SET previous_until = service_now() - interval '1 second' WHERE id = ${endpointId}`
  expect(await signers()).toEqual(['secret'])
})

test('sendTest queues a sample of each type for one endpoint, subscribed or not', async () => {
  const ctx = await makeAccount()
  const { id: endpointId } = await createEndpoint(ctx, {
    url: `${receiver.url}/one`,
    description: '',
    events: ['wallet.refilled'],
    retrySchedule: 'standard',
  })
  const { id: other } = await makeEndpoint(ctx, `${receiver.url}/other`)
  for (const type of EVENT_TYPES) {
    const { eventId } = await sendTest(ctx, { endpointId, type })
    await expect.poll(() => receiver.log.find((one) => one.eventId === eventId)?.path).toBe('/hooks/one')
    const body = JSON.parse(receiver.log.find((one) => one.eventId === eventId)?.body ?? '{}')
    expect(body).toMatchObject({ eventType: type, data: sampleData(type, new Date(body.createdAt)) })
  }
  expect(await db().webhookDelivery.count({ where: { endpointId: other } })).toBe(0)
})

test('a disabled endpoint gets no deliveries; after enabling, replaySince queues dead and missing ones once', async () => {
  const ctx = await makeAccount()
  const { id: endpointId } = await makeEndpoint(ctx, receiver.url)
  const since = new Date(Date.now() - 60_000)
  status = 500
  const failed = await emitMany(ctx, 3)
  await settled(ctx, endpointId).toEqual(['DEAD', 'DEAD', 'DEAD'])
  await enableEndpoint(ctx, { endpointId, enabled: false })
  const missed = await emitMany(ctx, 2)
  expect((await listDeliveries(ctx, { endpointId })).deliveries).toHaveLength(3)
  await expect(replaySince(ctx, { endpointId, which: 'failed', since })).rejects.toEqual(refusedWith('CONFLICT'))
  await expect(sendTest(ctx, { endpointId, type: 'wallet.refilled' })).rejects.toEqual(refusedWith('CONFLICT'))
  status = 200
  await enableEndpoint(ctx, { endpointId, enabled: true })
  expect(await replaySince(ctx, { endpointId, which: 'failed', since: new Date(Date.now() + 60_000) })).toEqual({ count: 0 })
  const begun = receiver.log.length
  expect(await replaySince(ctx, { endpointId, which: 'failed', since })).toEqual({ count: 3 })
  expect(await replaySince(ctx, { endpointId, which: 'missing', since })).toEqual({ count: 2 })
  expect(await replaySince(ctx, { endpointId, which: 'missing', since })).toEqual({ count: 0 })
  await settled(ctx, endpointId).toEqual(Array(5).fill('DELIVERED'))
  expect(
    receiver.log
      .slice(begun)
      .map(({ eventId }) => eventId)
      .sort(),
  ).toEqual([...failed, ...missed].sort())

  const [eventId = ''] = failed
  await replayDelivery(ctx, { endpointId, eventId })
  await expect.poll(() => receiver.log.slice(begun).filter((one) => one.eventId === eventId).length).toBe(2)
  await expect.poll(async () => (await getDelivery(ctx, { endpointId, eventId })).status).toBe('DELIVERED')
  const { attempts, payload } = await getDelivery(ctx, { endpointId, eventId })
  expect(attempts.map(({ replay, number }) => [replay, number])).toEqual([
    [2, 1],
    [1, 1],
    ...[6, 5, 4, 3, 2, 1].map((number) => [0, number]),
  ])
  expect(new Set(receiver.log.filter((one) => one.eventId === eventId).map(({ body }) => body))).toEqual(new Set([payload]))
})

test('editEndpoint redirects waiting deliveries to the new URL; removeEndpoint deletes deliveries and keeps events', async () => {
  const ctx = await makeAccount()
  const { id: endpointId } = await makeEndpoint(ctx, 'http://127.0.0.1:1/nothing')
  const [eventId = ''] = await emitMany(ctx, 1)
  await expect.poll(async () => (await getDelivery(ctx, { endpointId, eventId })).attempts.length).toBeGreaterThan(0)
  const expected = asMade('http://127.0.0.1:1/nothing')
  await editEndpoint(ctx, {
    endpointId,
    url: `${receiver.url}/new`,
    description: 'Moved',
    events: ['wallet.refilled'],
    retrySchedule: 'day',
    expected,
  })
  await replayDelivery(ctx, { endpointId, eventId }).catch(() => {})
  await expect.poll(() => receiver.log.find((one) => one.eventId === eventId)?.path).toBe('/hooks/new')
  await removeEndpoint(ctx, { endpointId })
  await expect(getEndpoint(ctx, { endpointId })).rejects.toEqual(refusedWith('NOT_FOUND'))
  expect((await listEvents(ctx, {})).events.map((one) => one.eventId)).toEqual([eventId])
})

test('listEvents and listDeliveries return complete pages', async () => {
  const ctx = await makeAccount()
  const { id: endpointId } = await makeEndpoint(ctx, receiver.url)
  const ids = await emitMany(ctx, 120)
  const all: string[] = []
  const log: string[] = []
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page = await listDeliveries(ctx, { endpointId, cursor: cursor ?? undefined })
    all.push(...page.deliveries.map(({ eventId }) => eventId))
    cursor = page.nextCursor
  }
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page = await listEvents(ctx, { cursor: cursor ?? undefined })
    log.push(...page.events.map(({ eventId }) => eventId))
    cursor = page.nextCursor
  }
  expect([all, log]).toEqual([ids.toReversed(), ids.toReversed()])
  await expect(listEvents(ctx, { cursor: 'x' })).rejects.toEqual(refusedWith('INVALID_REQUEST'))
})

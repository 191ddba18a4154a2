import Stripe from 'stripe'
import { afterEach, expect, test, vi } from 'vitest'
import { EVENT_TYPES, EVENTS } from '../../../events.ts'
import { db } from '../../../platform/database/database.ts'
import { LEASE_MS } from '../../../platform/leases.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStates, deliveryStatuses } from '../../../testing/delivery-states.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { startReceiver } from '../../../testing/services/receiver.ts'
import { provide } from '../../../testing/settings.ts'
import { emit } from '../endpoints/emit.ts'
import { DELAYS_SEC, MAX_ATTEMPTS } from '../endpoints/state.ts'
import { Dispatcher, type Pace } from './dispatcher.ts'
import { WEBHOOK_METRICS } from './metrics.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })

const running: Dispatcher[] = []
function dispatch(pace: Pace = {}): Dispatcher {
  const made = new Dispatcher({ factor: 0.004, ...pace })
  running.push(made)
  made.start()
  return made
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()))
  await db().account.deleteMany()
})

test('Dispatcher sends each event type as specified, with a signature that Stripe’s library accepts', async () => {
  const receiver = await startReceiver()
  const ctx = await makeAccount()
  const { secret, id } = await makeEndpoint(ctx, receiver.url)
  dispatch()
  for (const type of EVENT_TYPES) await db().$transaction((tx) => emit(tx, ctx.accountId, type, EVENTS[type].sample as never))
  await expect.poll(() => deliveryStatuses(id)).toEqual({ DELIVERED: EVENT_TYPES.length })

  expect(receiver.log.map(({ body }) => JSON.parse(body).eventType).sort()).toEqual([...EVENT_TYPES].sort())
  for (const { body, headers } of receiver.log) {
    const signature = headers['x-service-signature'] as string
    expect(signature).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/)
    expect(headers['content-type']).toBe('application/json')
    const event = Stripe.webhooks.constructEvent(body, signature, secret) as unknown as {
      eventType: (typeof EVENT_TYPES)[number]
      data: object
    }
    expect(event.data).toEqual(EVENTS[event.eventType].sample)
    expect(() => Stripe.webhooks.constructEvent(body.replace('evt_', 'evt-'), signature, secret)).toThrow()
    expect(() => Stripe.webhooks.constructEvent(body, signature, 'whsec_other')).toThrow()
  }
})

test('Dispatcher attempts a failing delivery 6 times, 1, 5, 25, 125 and 625 s after each failure, and then marks it dead', async () => {
  const factor = 0.01
  const receiver = await startReceiver((_got, res) => res.writeHead(500).end('out of order'))
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, receiver.url)
  await emitMany(ctx, 1)
  dispatch({ factor })
  await expect.poll(() => deliveryStatuses(id)).toEqual({ DEAD: 1 })
  expect(receiver.log).toHaveLength(MAX_ATTEMPTS)
  expect(new Set(receiver.log.map((one) => one.eventId)).size).toBe(1)
  const [delivery] = await db().webhookDelivery.findMany({
    where: { endpointId: id },
    include: { attempts: { orderBy: { id: 'asc' } } },
  })
  expect(await deliveryStates(id)).toMatchObject([{ status: 'DEAD', attemptCount: 6, queued: null, lastError: 'Responded with 500.' }])
  expect(delivery?.attempts.map((one) => [one.number, one.status, one.body])).toEqual(
    [1, 2, 3, 4, 5, 6].map((number) => [number, 500, 'out of order']),
  )
  expect(await WEBHOOK_METRICS[0]?.read()).toContainEqual({ labels: { result: 'refused' }, value: 6 })
  for (const [index, delay] of DELAYS_SEC.entries()) {
    const [before, after] = [delivery?.attempts[index], delivery?.attempts[index + 1]]
    const failedAt = (before?.at.getTime() ?? 0) + (before?.durationMs ?? 0)
    // Never early; the columns hold whole milliseconds.
    expect((after?.at.getTime() ?? 0) - failedAt).toBeGreaterThanOrEqual(delay * 1_000 * factor - 3)
    expect(before?.nextAt?.getTime()).toBeCloseTo(failedAt + delay * 1_000 * factor, -1)
  }
})

test('Dispatcher delivers missed events with the same ids after the receiver recovers', async () => {
  const tries = new Map<string, number>()
  const receiver = await startReceiver(({ eventId }, res) => {
    tries.set(eventId, (tries.get(eventId) ?? 0) + 1)
    res.writeHead(tries.get(eventId) === 3 ? 204 : 503).end()
  })
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, receiver.url)
  const ids = await emitMany(ctx, 40)
  dispatch({ factor: 0.001 })
  await expect.poll(() => deliveryStatuses(id)).toEqual({ DELIVERED: 40 })
  expect(new Set(receiver.log.map((one) => one.eventId))).toEqual(new Set(ids))
  expect(receiver.log).toHaveLength(120)
  expect(new Set(receiver.log.map((one) => one.body)).size).toBe(40)
  expect((await db().webhookEndpoint.findUniqueOrThrow({ where: { id } })).failingSince).toBeNull()
})

test('Dispatcher disables an endpoint on 410, marks its waiting deliveries dead, and writes an audit record', async () => {
  const receiver = await startReceiver((_got, res) => res.writeHead(410).end())
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, receiver.url)
  await emitMany(ctx, 60)
  dispatch({ perEndpoint: 1, concurrency: 1 })
  await vi.waitFor(async () => expect((await db().webhookEndpoint.findUniqueOrThrow({ where: { id } })).disabledReason).toBe('gone'))
  await expect.poll(() => deliveryStatuses(id)).toEqual({ DEAD: 60 })
  expect(receiver.log.length).toBeLessThan(60)
  expect(await db().auditEntry.findMany({ where: { accountId: ctx.accountId } })).toMatchObject([
    { action: 'webhook.disable', actor: 'system', subject: id },
  ])
  await emitMany(ctx, 1)
  expect(await deliveryStatuses(id)).toEqual({ DEAD: 60 })
})

test('Dispatcher disables an endpoint at a dead delivery after three days of failure, unless an attempt succeeded', async () => {
  const receiver = await startReceiver(({ path }, res) => res.writeHead(path === '/bad' ? 500 : 200).end())
  const ctx = await makeAccount()
  const bad = await makeEndpoint(ctx, receiver.url.replace('/hooks', '/bad'))
  const good = await makeEndpoint(ctx, receiver.url)
  await db().webhookEndpoint.updateMany({ data: { failingSince: new Date(Date.now() - 4 * 86_400_000) } })
  await emitMany(ctx, 1)
  dispatch({ factor: 0.001 })
  await expect.poll(() => db().webhookEndpoint.findUniqueOrThrow({ where: { id: bad.id } })).toMatchObject({ disabledReason: 'failing' })
  expect(receiver.log.filter((one) => one.path === '/bad')).toHaveLength(MAX_ATTEMPTS)
  expect(await db().webhookEndpoint.findUniqueOrThrow({ where: { id: good.id } })).toMatchObject({ disabledAt: null, failingSince: null })
})

test('Dispatcher delays the next attempt by Retry-After, up to the longest delay', async () => {
  const receiver = await startReceiver((got, res) => {
    res.writeHead(429, { 'retry-after': got.path === '/long' ? '86400' : new Date(Date.now() + 100_000).toUTCString() }).end()
  })
  const ctx = await makeAccount()
  const some = await makeEndpoint(ctx, receiver.url)
  const long = await makeEndpoint(ctx, receiver.url.replace('/hooks', '/long'))
  await emitMany(ctx, 1)
  dispatch({ factor: 1 })
  const next = async (id: string) => {
    const [one] = await db().webhookAttempt.findMany({ where: { delivery: { endpointId: id } } })
    return one?.nextAt ? (one.nextAt.getTime() - one.at.getTime()) / 1_000 : 0
  }
  await expect.poll(() => next(some.id)).toBeGreaterThan(0)
  await expect.poll(() => next(long.id)).toBeGreaterThan(0)
  expect(Math.abs((await next(some.id)) - 100)).toBeLessThan(3)
  expect(Math.abs((await next(long.id)) - 625)).toBeLessThan(3)
})

test('Dispatcher leases for LEASE_MS and renews the lease while its attempt runs', async () => {
  const receiver = await startReceiver(() => {})
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, receiver.url)
  await emitMany(ctx, 1)
  dispatch()
  await expect.poll(() => receiver.log.length).toBe(1)
  const until = async () => (await db().webhookLease.findFirst({ where: { endpointId: id } }))?.leasedUntil.getTime() ?? 0
  const first = await until()
  expect(first).toBeLessThanOrEqual(Date.now() + LEASE_MS)
  await expect.poll(until).toBeGreaterThan(first)
})

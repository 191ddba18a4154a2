import { expect, test } from 'vitest'
import { db, pool } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStates } from '../../../testing/delivery-states.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { finished, lease } from '../../../testing/webhook-leases.ts'
import { listEvents } from '../endpoints/event-log.ts'
import { listEndpoints } from '../endpoints/list-endpoints.ts'
import type { DeliveryStatus } from '../endpoints/state.ts'
import type { LeasedDelivery } from './lease.ts'
import { listDeliveries } from './list-deliveries.ts'
import { recordAttempts } from './record-attempts.ts'

await testDatabase()

async function queued(count: number) {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  await emitMany(ctx, count)
  return { ctx, id }
}

test('recordAttempts writes different outcomes of several endpoints in one call', async () => {
  const [well, off, late] = [await queued(3), await queued(2), await queued(2)]
  const [delivered, failed, died] = (await lease(well.id, 3)) as [LeasedDelivery, LeasedDelivery, LeasedDelivery]
  const [offFailed, offDelivered] = (await lease(off.id, 2)) as [LeasedDelivery, LeasedDelivery]
  await db().webhookEndpoint.update({ where: { id: off.id }, data: { disabledAt: new Date() } })
  const lost = await lease(late.id, 2, 0)
  await lease(late.id, 2)
  const answer = { body: 'fine', headers: { 'content-type': 'text/plain', 'x-list': ['a', 'b'] } }
  await recordAttempts(
    [
      { ...finished(delivered), result: { ...finished(delivered).result, ...answer, status: 204 }, signature: 't=2,v1=1' },
      finished(lost[0] as LeasedDelivery),
      finished(offFailed, 'Responded with 500.'),
      { ...finished(died, 'Answered 503.'), nextInMs: undefined },
      finished(failed, 'Responded with 500.'),
      finished(offDelivered),
      finished(lost[1] as LeasedDelivery, 'Responded with 500.'),
    ],
    1,
  )
  expect(await deliveryStates(well.id)).toMatchObject([
    { status: 'DELIVERED', attemptCount: 1, lastError: null, queued: null, attempts: [{ number: 1, status: 204, error: null }] },
    {
      status: 'PENDING',
      attemptCount: 1,
      lastError: 'Responded with 500.',
      queued: { attemptCount: 1 },
      attempts: [{ status: 500, error: 'Responded with 500.' }],
    },
    { status: 'DEAD', attemptCount: 1, lastError: 'Answered 503.', queued: null, attempts: [{ status: 500, error: 'Answered 503.' }] },
  ])
  expect(await deliveryStates(off.id)).toMatchObject([
    { status: 'DEAD', attemptCount: 1, lastError: 'Responded with 500.', queued: null },
    { status: 'DELIVERED', attemptCount: 1, lastError: null, queued: null },
  ])
  expect(await deliveryStates(late.id)).toMatchObject([
    { status: 'PENDING', attemptCount: 0, attempts: [], queued: { attemptCount: 0 } },
    { status: 'PENDING', attemptCount: 0, attempts: [], queued: { attemptCount: 0 } },
  ])
  const [kept, next] = await db().webhookAttempt.findMany({ where: { delivery: { endpointId: well.id } }, orderBy: { deliveryId: 'asc' } })
  expect(kept).toMatchObject({ signature: 't=2,v1=1', body: 'fine', headers: '{"content-type":"text/plain","x-list":"a,b"}', nextAt: null })
  const endOf = (attempt: typeof next) => (attempt?.at.getTime() ?? 0) + (attempt?.durationMs ?? 0)
  expect((next?.nextAt?.getTime() ?? 0) - endOf(next)).toBeCloseTo(1_000, -1)
  // One endpoint worked; of the lease only the deliveries with another attempt are queued again.
  expect(await db().webhookEndpoint.findMany({ where: { failingSince: { not: null } } })).toEqual([])
  expect(await db().webhookLease.count({ where: { endpointId: { in: [well.id, off.id] } } })).toBe(0)
})

test('recordAttempts schedules the next attempt from the end of the previous one, not from the write', async () => {
  const { id } = await queued(1)
  const [failed] = (await lease(id, 1)) as [LeasedDelivery]
  const began = Date.now()
  await recordAttempts([{ ...finished(failed, 'Responded with 500.'), endedAt: performance.now() - 600_000, nextInMs: 625_000 }], 1)
  const [row] = await deliveryStates(id)
  // The columns hold whole milliseconds.
  expect(row?.queued?.dueMs).toBeGreaterThanOrEqual(began + 25_000 - 2)
  expect(row?.queued?.dueMs).toBeLessThanOrEqual(Date.now() + 25_000 + 2)
  const attempt = await db().webhookAttempt.findFirstOrThrow({ where: { delivery: { endpointId: id } } })
  expect(attempt.at.getTime()).toBeLessThan(began - 599_000)
  expect(attempt.nextAt?.getTime()).toBe(Math.round(row?.queued?.dueMs ?? 0))
})

test('recordAttempts tracks failing endpoints and returns those that failed too long when a delivery dies', async () => {
  const { id } = await queued(5)
  const [first, second, third, fourth, fifth] = (await lease(id, 5)) as [
    LeasedDelivery,
    LeasedDelivery,
    LeasedDelivery,
    LeasedDelivery,
    LeasedDelivery,
  ]
  const since = async () => (await db().webhookEndpoint.findUniqueOrThrow({ where: { id } })).failingSince
  const dies = (delivery: LeasedDelivery) => ({ ...finished(delivery, 'Responded with 500.'), nextInMs: undefined })
  expect(await recordAttempts([dies(first)], 0)).toEqual([])
  expect(await since()).not.toBeNull()
  await db().webhookEndpoint.update({ where: { id }, data: { failingSince: new Date(Date.now() - 60_000) } })
  expect(await recordAttempts([dies(second)], 120_000)).toEqual([])
  expect(await recordAttempts([dies(third)], 30_000)).toEqual([id])
  expect(await recordAttempts([dies(fourth), finished(fifth)], 30_000)).toEqual([])
  expect(await since()).toBeNull()
})

test('lists count deliveries by status, for the last day and for each event', async () => {
  const { ctx, id } = await queued(4)
  const [delivered, failed, died] = (await lease(id, 3)) as [LeasedDelivery, LeasedDelivery, LeasedDelivery]
  await recordAttempts(
    [finished(delivered), finished(failed, 'Responded with 500.'), { ...finished(died, 'Answered 503.'), nextInMs: undefined }],
    1e9,
  )
  const shown = async (status?: DeliveryStatus) =>
    (await listDeliveries(ctx, { endpointId: id, status })).deliveries.map((one) => [
      one.status,
      one.attemptCount,
      one.lastError,
      one.lastStatus,
      one.lastDurationMs,
      one.nextAt !== null,
    ])
  const [fresh, dead, again, done] = [
    ['PENDING', 0, null, null, null, true],
    ['DEAD', 1, 'Answered 503.', 500, 1, false],
    ['PENDING', 1, 'Responded with 500.', 500, 1, true],
    ['DELIVERED', 1, null, 200, 1, false],
  ]
  expect(await shown()).toEqual([fresh, dead, again, done])
  expect(await shown('PENDING')).toEqual([fresh, again])
  expect(await shown('DEAD')).toEqual([dead])
  expect(await shown('DELIVERED')).toEqual([done])
  expect((await listEndpoints(ctx))[0]?.day).toEqual({ delivered: 1, pending: 2, dead: 1 })
  expect((await listEvents(ctx, {})).events.map(({ deliveries }) => deliveries)).toEqual([
    { delivered: 0, pending: 1, dead: 0 },
    { delivered: 0, pending: 0, dead: 1 },
    { delivered: 0, pending: 1, dead: 0 },
    { delivered: 1, pending: 0, dead: 0 },
  ])
})

test('watchWebhooks yields for each outcome and for each leased retry', async () => {
  const { ctx, id } = await queued(2)
  let heard = 0
  const stop = notifications().on('webhook', (subject) => subject === ctx.accountId && heard++)
  // A later notification: those not received before it are not sent.
  const notices = async () => {
    let came: () => void = () => {}
    const last = new Promise<void>((resolve) => (came = resolve))
    const off = notifications().on('webhook', (subject) => subject === 'marker' && came())
    await pool().query(`SELECT pg_notify('reelgate', 'webhook:marker')`)
    await last
    off()
    const count = heard
    heard = 0
    return count
  }
  await notices()
  const [first, second] = (await lease(id, 2)) as [LeasedDelivery, LeasedDelivery]
  expect(await notices()).toBe(0)
  await recordAttempts([finished(first)], 1)
  expect(await notices()).toBe(1)
  await recordAttempts([{ ...finished(second, 'Responded with 500.'), nextInMs: 0 }], 1)
  expect(await notices()).toBeGreaterThan(0)
  expect(await lease(id, 2)).toHaveLength(1)
  expect(await notices()).toBe(1)
  stop()
})

test('lease_webhook_deliveries commits asynchronously, and later statements of the connection commit synchronously', async () => {
  const { id } = await queued(1)
  const connection = await pool().connect()
  const setting = async () =>
    (await connection.query<{ synchronous_commit: string }>('SHOW synchronous_commit')).rows[0]?.synchronous_commit
  await connection.query('SET synchronous_commit = on; BEGIN')
  await connection.query('SELECT lease_webhook_deliveries(ARRAY[$1], ARRAY[1], ARRAY[0], ARRAY[0], 60000)', [id])
  expect(await setting()).toBe('off')
  await connection.query('COMMIT')
  expect(await setting()).toBe('on')
  connection.release(true)
})

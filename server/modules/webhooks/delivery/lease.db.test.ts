import { expect, test } from 'vitest'
import { db, query, transaction } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStates } from '../../../testing/delivery-states.ts'
import { waitForLocks } from '../../../testing/lock-waits.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { finished, lease } from '../../../testing/webhook-leases.ts'
import { disableEndpoint } from '../endpoints/disable-endpoint.ts'
import { removeEndpoint } from '../endpoints/edit-endpoints.ts'
import { dueEndpoints } from './due-endpoints.ts'
import { type LeasedDelivery, leaseDeliveries, returnDeliveries } from './lease.ts'
import { listDeliveries } from './list-deliveries.ts'
import { recordAttempts, writeAttempts } from './record-attempts.ts'
import { replayDelivery } from './replay.ts'

await testDatabase()

async function queued(count: number) {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  await emitMany(ctx, count)
  return id
}

test('leaseDeliveries leases each delivery once under concurrent calls', async () => {
  const id = await queued(60)
  const got = (await Promise.all(Array.from({ length: 8 }, () => lease(id, 10)))).flat()
  const rest = await lease(id, 100)
  const all = [...got, ...rest].map((one) => one.id)
  expect(all).toHaveLength(60)
  expect(new Set(all).size).toBe(60)
  expect(await lease(id, 100)).toEqual([])
  expect((await dueEndpoints()).map((one) => one.id)).not.toContain(id)
})

test('leaseDeliveries returns whether the lease is as large as allowed, which is webhook_lease_limit() at most', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  const [row] = await query<{ most: number }>('', 'SELECT webhook_lease_limit() AS most', [])
  const most = row?.most ?? 0
  const emitted = `SELECT emit_event(NULL, $1, 'video.processing.completed', '{}') FROM generate_series(1, $2::int)`
  await query('', emitted, [ctx.accountId, most + 5])
  const leased = async (limit: number) =>
    (await leaseDeliveries([{ endpointId: id, limit }], 60_000)).map(({ deliveries, full }) => [deliveries.length, full])
  expect(await leased(2)).toEqual([[2, true]])
  expect(await leased(most + 1)).toEqual([[most, true]])
  expect(await leased(4)).toEqual([[3, false]])
  expect(await leased(1)).toEqual([[0, false]])
})

test('recordAttempts ignores an expired lease that another dispatcher took over', async () => {
  const id = await queued(1)
  const [late] = await lease(id, 1, 0)
  const [now] = await lease(id, 1)
  expect(now).toMatchObject({ id: late?.id, attemptCount: 0 })
  await recordAttempts([finished(late as LeasedDelivery)], 1)
  await returnDeliveries([late as LeasedDelivery])
  expect(await deliveryStates(id)).toMatchObject([{ status: 'PENDING', queued: { attemptCount: 0 }, attemptCount: 0, attempts: [] }])
  expect(await lease(id, 1)).toEqual([])
  await recordAttempts([finished(now as LeasedDelivery, 'Responded with 500.')], 1)
  expect(await deliveryStates(id)).toMatchObject([
    { status: 'PENDING', queued: { attemptCount: 1 }, attemptCount: 1, attempts: [{ number: 1, status: 500 }] },
  ])
  // A repeated write has no effect.
  await recordAttempts([finished(now as LeasedDelivery)], 1)
  expect(await deliveryStates(id)).toMatchObject([{ status: 'PENDING', attemptCount: 1 }])
})

test('returnDeliveries makes deliveries due at once and keeps their attempts', async () => {
  const id = await queued(1)
  await returnDeliveries(await lease(id, 1))
  expect(await lease(id, 1)).toMatchObject([{ attemptCount: 0 }])
})

test('a lease with recorded and returned deliveries keeps the remaining ones until it expires', async () => {
  const id = await queued(4)
  const [failed, delivered, left, back] = (await lease(id, 4)) as [LeasedDelivery, LeasedDelivery, LeasedDelivery, LeasedDelivery]
  await recordAttempts([{ ...finished(failed, 'Responded with 500.'), nextInMs: 0 }, finished(delivered)], 1)
  await returnDeliveries([back])
  expect((await lease(id, 10)).map((one) => [one.id, one.attemptCount])).toEqual([
    [back.id, 0],
    [failed.id, 1],
  ])
  await recordAttempts([finished(left)], 1)
  expect((await deliveryStates(id)).filter(({ status }) => status === 'DELIVERED').map((row) => row.id)).toEqual([delivered.id, left.id])
  expect(await db().webhookLease.count({ where: { endpointId: id } })).toBe(1)
})

test('recordAttempts counts an attempt once when its write is repeated', async () => {
  const id = await queued(2)
  const [failed, open] = (await lease(id, 2)) as [LeasedDelivery, LeasedDelivery]
  // The response to the first write is lost.
  await writeAttempts([finished(failed, 'Responded with 500.')], 1, [])
  await recordAttempts([finished(failed, 'Responded with 500.')], 1)
  expect((await deliveryStates(id)).map(({ attemptCount, attempts }) => [attemptCount, attempts.length])).toEqual([
    [1, 1],
    [0, 0],
  ])
  await recordAttempts([finished(open)], 1)
  expect((await deliveryStates(id)).map(({ status }) => status)).toEqual(['PENDING', 'DELIVERED'])
})

test('a repeated recordAttempts does not overwrite a later attempt', async () => {
  const id = await queued(2)
  const [failed] = (await lease(id, 2)) as [LeasedDelivery, LeasedDelivery]
  await writeAttempts([{ ...finished(failed, 'Responded with 500.'), nextInMs: 0 }], 1, [])
  const [theirs] = (await lease(id, 2)) as [LeasedDelivery]
  await recordAttempts([{ ...finished(theirs, 'Responded with 500.'), nextInMs: 60_000 }], 1)
  for (const nextInMs of [0, undefined]) await recordAttempts([{ ...finished(failed, 'Responded with 500.'), nextInMs }], 1)
  const row = (await deliveryStates(id)).find((one) => one.id === failed.id)
  expect(row).toMatchObject({ status: 'PENDING', attemptCount: 2, queued: { attemptCount: 2 } })
  expect(row?.queued?.dueMs).toBeGreaterThan(Date.now() + 30_000)
})

test('a repeated recordAttempts does not change a delivery replayed meanwhile', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  const [eventId = ''] = await emitMany(ctx, 2)
  const [delivered] = (await lease(id, 2)) as [LeasedDelivery, LeasedDelivery]
  await writeAttempts([finished(delivered)], 1, [])
  await replayDelivery(ctx, { endpointId: id, eventId })
  await recordAttempts([finished(delivered)], 1)
  const row = (await deliveryStates(id)).find((one) => one.eventId === eventId)
  expect(row).toMatchObject({ status: 'PENDING', replay: 1, attemptCount: 0, queued: { replay: 1, attemptCount: 0 } })
})

test('removeEndpoint and recordAttempts of a first failure do not deadlock', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  await emitMany(ctx, 1)
  const [failed] = (await lease(id, 1)) as [LeasedDelivery]
  const both = await transaction(async (holder) => {
    await holder.query('SELECT FROM webhook_lease WHERE lease_id = $1 FOR UPDATE', [failed.lease.id])
    const written = recordAttempts([finished(failed, 'Responded with 500.')], 1)
    await waitForLocks(1)
    const removed = removeEndpoint(ctx, { endpointId: id })
    await waitForLocks(2)
    return [written, removed]
  })
  await expect(Promise.all(both)).resolves.toEqual([[], undefined])
})

test('leaseDeliveries skips locked queues and reads the others', async () => {
  const [busy, free] = [await queued(1), await queued(1)]
  const both = [busy, free].map((endpointId) => ({ endpointId, limit: 1 }))
  await transaction(async (other) => {
    await other.query('SELECT lock_webhook_queues(ARRAY[$1], true)', [busy])
    const leased = await leaseDeliveries(both, 60_000)
    expect(leased.map(({ endpointId, deliveries }) => [endpointId, deliveries.length])).toEqual([[free, 1]])
  })
  const later = await leaseDeliveries(both, 60_000)
  expect(later.flatMap(({ deliveries }) => deliveries).map((one) => one.endpointId)).toEqual([busy])
})

test('leaseDeliveries continues after a position; from the head it finds deliveries that became due before it', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  const early = transaction(async (slow) => {
    await slow.query(`SELECT emit_event(NULL, $1, 'video.processing.completed', '{}')`, [ctx.accountId])
    await emitMany(ctx, 3)
    return lease(id, 2)
  })
  const [, second] = (await early) as [LeasedDelivery, LeasedDelivery]
  const [leased] = await leaseDeliveries([{ endpointId: id, limit: 10, after: second }], 60_000)
  const behind = leased?.deliveries ?? []
  expect(behind).toHaveLength(1)
  expect(behind[0]?.dueMs).toBeGreaterThanOrEqual(second.dueMs)
  // The slow transaction's delivery is due before all of them but visible later.
  const [late] = await lease(id, 10)
  expect(late?.dueMs).toBeLessThanOrEqual(second.dueMs)
  expect(new Set([...(await early), ...behind, late].map((one) => one?.id)).size).toBe(4)
})

test('enableEndpoint(false) during leaseDeliveries keeps leased deliveries and stops the remaining ones', async () => {
  const id = await queued(40)
  const leases = Array.from({ length: 4 }, () => lease(id, 5))
  const disabled = disableEndpoint(id, 'gone')
  const got = (await Promise.all([...leases, disabled.then(() => lease(id, 5))])).flat()
  const open = (await deliveryStates(id)).filter(({ queued }) => queued).map((row) => row.id)
  expect(open.sort()).toEqual(got.map((one) => one.id).sort())
  await recordAttempts(
    got.map((one) => finished(one)),
    1,
  )
  const statuses = (await deliveryStates(id)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 'DELIVERED')).toHaveLength(got.length)
  expect(statuses.filter((status) => status === 'DEAD')).toHaveLength(40 - got.length)
})

test('listDeliveries marks leased deliveries as sending, without a next attempt', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  await emitMany(ctx, 2)
  const leased = await lease(id, 1)
  const shown = async () =>
    (await listDeliveries(ctx, { endpointId: id })).deliveries.map(({ sending, nextAt }) => [sending, nextAt !== null])
  expect(await shown()).toEqual([
    [false, true],
    [true, false],
  ])
  await returnDeliveries(leased)
  expect(await shown()).toEqual([
    [false, true],
    [false, true],
  ])
})

test('recordAttempts schedules no attempt after the endpoint is disabled', async () => {
  const id = await queued(2)
  const [failed, delivered] = await lease(id, 2)
  await db().webhookEndpoint.update({ where: { id }, data: { disabledAt: new Date() } })
  await recordAttempts([finished(failed as LeasedDelivery, 'Responded with 500.'), finished(delivered as LeasedDelivery)], 1)
  expect((await deliveryStates(id)).map((row) => row.status).sort()).toEqual(['DEAD', 'DELIVERED'])
})

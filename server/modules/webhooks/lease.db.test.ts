import { expect, test } from 'vitest'
import { db, transaction } from '../../platform/database.ts'
import { claim, ended } from '../../testing/claims.ts'
import { testDatabase } from '../../testing/database.ts'
import { deliveryStates } from '../../testing/delivery-states.ts'
import { waitForLocks } from '../../testing/lock-waits.ts'
import { makeAccount } from '../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../testing/make-endpoint.ts'
import { removeEndpoint } from './delete-endpoint.ts'
import { disableEndpoint } from './disable-endpoint.ts'
import { type Claimed, claimDue, dueEndpoints, giveBack } from './lease.ts'
import { listDeliveries } from './list-deliveries.ts'
import { recordAttempts } from './record-attempts.ts'
import { replayDelivery } from './replay.ts'

await testDatabase()

async function queued(count: number) {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  await emitMany(ctx, count)
  return id
}

test('claimDue leases each delivery once under concurrent calls', async () => {
  const id = await queued(60)
  const got = (await Promise.all(Array.from({ length: 8 }, () => claim(id, 10)))).flat()
  const rest = await claim(id, 100)
  const all = [...got, ...rest].map((one) => one.id)
  expect(all).toHaveLength(60)
  expect(new Set(all).size).toBe(60)
  expect(await claim(id, 100)).toEqual([])
  expect((await dueEndpoints()).map((one) => one.id)).not.toContain(id)
})

test('recordAttempts ignores an expired lease that another dispatcher took over', async () => {
  const id = await queued(1)
  const [late] = await claim(id, 1, 0)
  const [now] = await claim(id, 1)
  expect(now).toMatchObject({ id: late?.id, made: 0 })
  await recordAttempts([ended(late as Claimed)], 1)
  await giveBack([late as Claimed])
  expect(await deliveryStates(id)).toMatchObject([{ status: 'PENDING', queued: { attempts: 0 }, attempts: 0, tries: [] }])
  expect(await claim(id, 1)).toEqual([])
  await recordAttempts([ended(now as Claimed, 'Answered 500.')], 1)
  expect(await deliveryStates(id)).toMatchObject([
    { status: 'PENDING', queued: { attempts: 1 }, attempts: 1, tries: [{ number: 1, status: 500 }] },
  ])
  // A repeated write of an outcome has no effect.
  await recordAttempts([ended(now as Claimed)], 1)
  expect(await deliveryStates(id)).toMatchObject([{ status: 'PENDING', attempts: 1 }])
})

test('giveBack makes deliveries due at once and keeps their attempts', async () => {
  const id = await queued(1)
  await giveBack(await claim(id, 1))
  expect(await claim(id, 1)).toMatchObject([{ made: 0 }])
})

test('a lease with concluded and given back deliveries keeps the remaining ones until it expires', async () => {
  const id = await queued(4)
  const [failed, delivered, left, back] = (await claim(id, 4)) as [Claimed, Claimed, Claimed, Claimed]
  await recordAttempts([{ ...ended(failed, 'Answered 500.'), nextInMs: 0 }, ended(delivered)], 1)
  await giveBack([back])
  expect((await claim(id, 10)).map((one) => [one.id, one.made])).toEqual([
    [back.id, 0],
    [failed.id, 1],
  ])
  await recordAttempts([ended(left)], 1)
  expect((await deliveryStates(id)).filter(({ status }) => status === 'DELIVERED').map((row) => row.id)).toEqual([delivered.id, left.id])
  expect(await db().webhookClaim.count({ where: { endpointId: id } })).toBe(1)
})

test('recordAttempts counts an outcome once when its commit is repeated', async () => {
  const id = await queued(2)
  const [failed, open] = (await claim(id, 2)) as [Claimed, Claimed]
  const before = failed.claim.left
  await recordAttempts([ended(failed, 'Answered 500.')], 1)
  failed.claim.left = before
  await recordAttempts([ended(failed, 'Answered 500.')], 1)
  expect((await deliveryStates(id)).map(({ attempts, tries }) => [attempts, tries.length])).toEqual([
    [1, 1],
    [0, 0],
  ])
  await recordAttempts([ended(open)], 1)
  expect((await deliveryStates(id)).map(({ status }) => status)).toEqual(['PENDING', 'DELIVERED'])
})

test('a repeated recordAttempts does not overwrite a later outcome', async () => {
  const id = await queued(2)
  const [failed] = (await claim(id, 2)) as [Claimed, Claimed]
  const before = failed.claim.left
  await recordAttempts([{ ...ended(failed, 'Answered 500.'), nextInMs: 0 }], 1)
  const [theirs] = (await claim(id, 2)) as [Claimed]
  await recordAttempts([{ ...ended(theirs, 'Answered 500.'), nextInMs: 60_000 }], 1)
  failed.claim.left = before
  for (const nextInMs of [0, undefined]) await recordAttempts([{ ...ended(failed, 'Answered 500.'), nextInMs }], 1)
  const row = (await deliveryStates(id)).find((one) => one.id === failed.id)
  expect(row).toMatchObject({ status: 'PENDING', attempts: 2, queued: { attempts: 2 } })
  expect(row?.queued?.dueMs).toBeGreaterThan(Date.now() + 30_000)
})

test('a repeated recordAttempts does not change a delivery replayed meanwhile', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  const [eventId = ''] = await emitMany(ctx, 2)
  const [delivered] = (await claim(id, 2)) as [Claimed, Claimed]
  const before = delivered.claim.left
  await recordAttempts([ended(delivered)], 1)
  await replayDelivery(ctx, { endpointId: id, eventId })
  delivered.claim.left = before
  await recordAttempts([ended(delivered)], 1)
  const row = (await deliveryStates(id)).find((one) => one.eventId === eventId)
  expect(row).toMatchObject({ status: 'PENDING', round: 2, attempts: 0, queued: { round: 2, attempts: 0 } })
})

test('removeEndpoint and recordAttempts of a first failure do not deadlock', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  await emitMany(ctx, 1)
  const [failed] = (await claim(id, 1)) as [Claimed]
  const both = await transaction(async (holder) => {
    await holder.query('SELECT FROM webhook_claim WHERE id = $1 FOR UPDATE', [failed.claim.id])
    const written = recordAttempts([ended(failed, 'Answered 500.')], 1)
    await waitForLocks(1)
    const removed = removeEndpoint(ctx, { endpointId: id })
    await waitForLocks(2)
    return [written, removed]
  })
  await expect(Promise.all(both)).resolves.toEqual([[], undefined])
})

test('claimDue skips locked queues and reads the others', async () => {
  const [busy, free] = [await queued(1), await queued(1)]
  const both = [busy, free].map((endpointId) => ({ endpointId, room: 1 }))
  await transaction(async (other) => {
    await other.query('SELECT lock_webhook_queues(ARRAY[$1], true)', [busy])
    const { claimed, asked } = await claimDue(both, 60_000)
    expect([claimed.map((one) => one.endpointId), asked.map((one) => one.endpointId)]).toEqual([[free], [free]])
  })
  expect((await claimDue(both, 60_000)).claimed.map((one) => one.endpointId)).toEqual([busy])
})

test('claimDue continues after a position; from the head it finds deliveries that became due before it', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  const early = transaction(async (slow) => {
    await slow.query(`SELECT emit_event(NULL, $1, 'video.processing.completed', '{}')`, [ctx.accountId])
    await emitMany(ctx, 3)
    return claim(id, 2)
  })
  const [, second] = (await early) as [Claimed, Claimed]
  const { claimed: behind } = await claimDue([{ endpointId: id, room: 10, after: second }], 60_000)
  expect(behind).toHaveLength(1)
  expect(behind[0]?.dueMs).toBeGreaterThanOrEqual(second.dueMs)
  // The slow transaction's delivery is due before all of them but visible later.
  const [late] = await claim(id, 10)
  expect(late?.dueMs).toBeLessThanOrEqual(second.dueMs)
  expect(new Set([...(await early), ...behind, late].map((one) => one?.id)).size).toBe(4)
})

test('enableEndpoint(false) during claimDue keeps leased deliveries and stops the remaining ones', async () => {
  const id = await queued(40)
  const claims = Array.from({ length: 4 }, () => claim(id, 5))
  const disabled = disableEndpoint(id, 'gone')
  const got = (await Promise.all([...claims, disabled.then(() => claim(id, 5))])).flat()
  const open = (await deliveryStates(id)).filter(({ queued }) => queued).map((row) => row.id)
  expect(open.sort()).toEqual(got.map((one) => one.id).sort())
  await recordAttempts(
    got.map((one) => ended(one)),
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
  const claimed = await claim(id, 1)
  const shown = async () =>
    (await listDeliveries(ctx, { endpointId: id })).deliveries.map(({ sending, nextAt }) => [sending, nextAt !== null])
  expect(await shown()).toEqual([
    [false, true],
    [true, false],
  ])
  await giveBack(claimed)
  expect(await shown()).toEqual([
    [false, true],
    [false, true],
  ])
})

test('recordAttempts schedules no attempt after the endpoint is disabled', async () => {
  const id = await queued(2)
  const [failed, delivered] = await claim(id, 2)
  await db().webhookEndpoint.update({ where: { id }, data: { disabledAt: new Date() } })
  await recordAttempts([ended(failed as Claimed, 'Answered 500.'), ended(delivered as Claimed)], 1)
  expect((await deliveryStates(id)).map((row) => row.status).sort()).toEqual(['DEAD', 'DELIVERED'])
})

import { expect, test } from 'vitest'
import { pool, transaction } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { waitForLocks } from '../../../testing/lock-waits.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { finished, lease } from '../../../testing/webhook-leases.ts'
import { type LeasedDelivery, leaseDeliveries, returnDeliveries } from './lease.ts'
import { recordAttempts } from './record-attempts.ts'

await testDatabase()

const HOOKS = 'https://hooks.example.com'
/** Fails at once when the row is locked or missing. */
const lockNow = async (table: string, column: string, value: string) =>
  expect((await pool().query(`SELECT FROM ${table} WHERE ${column} = $1 FOR UPDATE NOWAIT`, [value])).rowCount).toBe(1)

test('recordAttempts locks the endpoint before its deliveries, in the order of replays', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, HOOKS)
  await emitMany(ctx, 1)
  const [failed] = (await lease(id, 1)) as [LeasedDelivery]
  const written = await transaction(async (holder) => {
    await holder.query('SELECT FROM webhook_endpoint WHERE id = $1 FOR NO KEY UPDATE', [id])
    const written = recordAttempts([finished(failed, 'Responded with 500.')], 1)
    await waitForLocks(1)
    await lockNow('webhook_queue', 'delivery_id', failed.id)
    return [written]
  })
  await Promise.all(written)
})

test('returnDeliveries locks leases in id order', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, HOOKS)
  await emitMany(ctx, 60)
  // Two deliveries each, so that giving back one shortens the lease and does not end it; ids are random.
  let [first] = (await lease(id, 2)) as [LeasedDelivery]
  let [second] = (await lease(id, 2)) as [LeasedDelivery]
  while (first.lease.id < second.lease.id) [first, second] = [second, ...((await lease(id, 2)) as [LeasedDelivery])]
  const given = await transaction(async (holder) => {
    await holder.query('SELECT FROM webhook_lease WHERE lease_id = $1 FOR UPDATE', [second.lease.id])
    const given = returnDeliveries([first, second])
    await waitForLocks(1)
    await lockNow('webhook_lease', 'lease_id', first.lease.id)
    return [given]
  })
  await Promise.all(given)
})

test('leaseDeliveries leases for more endpoints than one statement locks', async () => {
  const ctx = await makeAccount()
  const ids = await Promise.all(Array.from({ length: 130 }, async () => (await makeEndpoint(ctx, HOOKS)).id))
  await emitMany(ctx, 1)
  const wanted = ids.map((endpointId) => ({ endpointId, limit: 1 }))
  const leased = await leaseDeliveries(wanted, 60_000)
  expect(leased.flatMap(({ deliveries }) => deliveries.map((one) => one.endpointId)).sort()).toEqual(ids.toSorted())
  expect(leased.map(({ endpointId }) => endpointId).sort()).toEqual(ids.toSorted())
})

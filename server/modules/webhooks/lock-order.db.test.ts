import { expect, test } from 'vitest'
import { pool, transaction } from '../../platform/database.ts'
import { claim, ended } from '../../testing/claims.ts'
import { testDatabase } from '../../testing/database.ts'
import { waitForLocks } from '../../testing/lock-waits.ts'
import { makeAccount } from '../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../testing/make-endpoint.ts'
import { type Claimed, claimDue, giveBack } from './lease.ts'
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
  const [failed] = (await claim(id, 1)) as [Claimed]
  const written = await transaction(async (holder) => {
    await holder.query('SELECT FROM webhook_endpoint WHERE id = $1 FOR NO KEY UPDATE', [id])
    const written = recordAttempts([ended(failed, 'Answered 500.')], 1)
    await waitForLocks(1)
    await lockNow('webhook_due', 'delivery_id', failed.id)
    return [written]
  })
  await Promise.all(written)
})

test('giveBack locks leases in id order', async () => {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, HOOKS)
  await emitMany(ctx, 60)
  // Two deliveries each, so that giving back one shortens the lease and does not end it; ids are random.
  let [first] = (await claim(id, 2)) as [Claimed]
  let [second] = (await claim(id, 2)) as [Claimed]
  while (first.claim.id < second.claim.id) [first, second] = [second, ...((await claim(id, 2)) as [Claimed])]
  const given = await transaction(async (holder) => {
    await holder.query('SELECT FROM webhook_claim WHERE id = $1 FOR UPDATE', [second.claim.id])
    const given = giveBack([first, second])
    await waitForLocks(1)
    await lockNow('webhook_claim', 'id', first.claim.id)
    return [given]
  })
  await Promise.all(given)
})

test('claimDue leases for more endpoints than one statement locks', async () => {
  const ctx = await makeAccount()
  const ids = await Promise.all(Array.from({ length: 130 }, async () => (await makeEndpoint(ctx, HOOKS)).id))
  await emitMany(ctx, 1)
  const wanted = ids.map((endpointId) => ({ endpointId, room: 1 }))
  const { claimed, asked } = await claimDue(wanted, 60_000)
  expect(claimed.map(({ endpointId }) => endpointId).sort()).toEqual(ids.toSorted())
  expect(new Set(asked)).toEqual(new Set(wanted))
})

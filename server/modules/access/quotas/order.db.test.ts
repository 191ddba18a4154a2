import { expect, test } from 'vitest'
import { pool, transaction } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { waitForLocks } from '../../../testing/lock-waits.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { Counters } from '../../analytics/requests/counters.ts'
import { flushCounters } from '../../analytics/requests/flush.ts'
import { grantKeys } from './daily-quota.ts'

await testDatabase()

/** Checks that `work`, while it waits for the row `last`, has locked each row before it. */
async function locksInOrder(table: 'key_day' | 'api_key', column: string, ids: string[], work: () => Promise<unknown>): Promise<void> {
  const lock = `SELECT FROM ${table} WHERE ${column} = $1 FOR UPDATE`
  const [last, ...before] = ids.toSorted().toReversed() as [string, ...string[]]
  const { working } = await transaction(async (holder) => {
    await holder.query(lock, [last])
    const working = work()
    await waitForLocks(1)
    // One statement: `work` waits for a few seconds only.
    const free = `SELECT ${column} FROM ${table} WHERE ${column} = ANY ($1) FOR UPDATE SKIP LOCKED`
    expect((await pool().query(free, [before])).rows).toEqual([])
    return { working }
  })
  await working
}

test('grants and counters lock keys in one order, whatever the order of the requests, and never deadlock', { tags: ['deep'] }, async () => {
  const owner = await makeAccount()
  const ids = (await Promise.all(Array.from({ length: 12 }, () => makeKey(owner)))).map(({ id }) => id)
  for (const order of [ids, ids.toReversed(), ids.toSorted(), ids.toSorted().toReversed()]) {
    const wanted = new Map(order.map((id) => [id, 1] as const))
    await grantKeys(owner.accountId, wanted)
    await locksInOrder('key_day', 'key_id', ids, () => grantKeys(owner.accountId, wanted))
    await locksInOrder('api_key', 'id', ids, () => grantKeys(owner.accountId, wanted))
    const tallies = new Map(order.map((id) => [id, new Counters(owner.accountId, id)] as const))
    await locksInOrder('api_key', 'id', ids, () => flushCounters({ tallies, endedAt: performance.now() }))
  }
})

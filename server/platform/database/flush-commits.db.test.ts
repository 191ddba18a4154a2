import { expect, it } from 'vitest'
import { testDatabase } from '../../testing/database.ts'
import { POOLS, renew } from '../../testing/settings.ts'
import { query, transaction } from './database.ts'
import { commitsFlushed, DURABLE_LATER } from './flush-commits.ts'

await testDatabase()

it('resolves once what was committed before is durable', async () => {
  // The databases of tests commit without waiting for the log.
  await query('test-durable', `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database()); END $$`, [])
  renew(...POOLS, 'prisma')
  for (let round = 0; round < 10; round++) {
    const [row] = await transaction(
      async (on) => {
        await query('test-write', "SELECT pg_logical_emit_message(true, 'test', repeat('x', 1000))", [], on)
        return query<{ position: string }>('test-position', 'SELECT pg_current_wal_insert_lsn()::text AS position', [], on)
      },
      [DURABLE_LATER],
    )
    await commitsFlushed()
    const [after] = await query<{ durable: boolean }>('test-durable-now', 'SELECT pg_current_wal_flush_lsn() >= $1::pg_lsn AS durable', [
      row?.position,
    ])
    expect(after).toEqual({ durable: true })
  }
})

it('begins another flush for a caller whose commit the running one may not include', async () => {
  const first = commitsFlushed()
  await null
  await null
  const second = commitsFlushed()
  expect(second).not.toBe(first)
  expect(commitsFlushed()).toBe(second)
  await Promise.all([first, second])
})

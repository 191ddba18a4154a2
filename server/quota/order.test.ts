import { expect, test, vi } from 'vitest'
import { pool, transaction } from '../infra/db.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey } from '../testing/make.ts'
import { grantKeys } from './grant.ts'

await testDatabase()

test('keys are granted in one order, whatever order they are asked in: two statements never wait for each other', async () => {
  const owner = await makeAccount()
  const ids = (await Promise.all(Array.from({ length: 12 }, () => makeKey(owner)))).map(({ id }) => id).sort()
  const backwards = new Map(ids.map((id) => [id, 1] as const).reverse())
  await grantKeys(owner.accountId, backwards)

  const [last, ...before] = ids.toReversed() as [string, ...string[]]
  const granting = await transaction(async (holder) => {
    await holder.query('SELECT FROM key_day WHERE key_id = $1 FOR UPDATE', [last])
    const granting = grantKeys(owner.accountId, backwards)
    await vi.waitFor(async () => expect((await pool().query('SELECT FROM pg_locks WHERE NOT granted')).rowCount).toBe(1))
    // It waits for the last key, so it must have every other one.
    for (const id of before) {
      await expect(pool().query('SELECT FROM key_day WHERE key_id = $1 FOR UPDATE NOWAIT', [id])).rejects.toMatchObject({ code: '55P03' })
    }
    return { granting }
  })
  expect([...(await granting.granting).values()].map(({ issued }) => issued)).toEqual(ids.map(() => 2))
})

import { expect, it } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { NotifiedCache } from './cache.ts'
import { pool } from './database.ts'
import { notifications } from './notifications.ts'

await testDatabase()

it('keeps what was read during changes of other keys, and nothing that changed during its read', async () => {
  const cache = new NotifiedCache<{ read: number }>('videos', 10, { thing: (subject) => (subject === 'all' ? undefined : subject) })
  const readDuring = async (key: string, changed: string) => {
    const { promise: changedNow, resolve } = Promise.withResolvers<void>()
    const read = cache.get(key, () => changedNow.then(() => ({ read: 1 })))
    await pool().query("SELECT pg_notify('reelgate', $1)", [`thing:${changed}`])
    await notifications().caughtUp()
    resolve()
    expect(await read).toEqual({ read: 1 })
    return cache.peek(key)
  }
  expect(await readDuring('mine', 'another')).toEqual({ read: 1 })
  expect(await readDuring('changed', 'changed')).toBeUndefined()
  expect(await readDuring('cleared', 'all')).toBeUndefined()
})

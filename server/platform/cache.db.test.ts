import { expect, it } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { NotifiedCache } from './cache.ts'
import { services } from './container.ts'
import { pool, query, vital } from './database/database.ts'
import { notifications } from './database/notifications.ts'
import { asCaller } from './turns/caller.ts'

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

it('loads once for all callers, and again for one whose group does not wait as that of the first one does', async () => {
  const cache = new NotifiedCache<{ by: string }>('videos', 10, {})
  const loads: string[] = []
  const get = (key: string, accountId: string) =>
    asCaller({ accountId }, () =>
      cache.get(key, async () => {
        loads.push(accountId)
        await query('one', 'SELECT 1', [], vital())
        return { by: accountId }
      }),
    )
  await Promise.all([get('free', 'acc_a'), get('free', 'acc_b')])
  expect(loads).toEqual(['acc_a'])
  const { vitalTurns } = services()
  const share = await Promise.all(Array.from({ length: vitalTurns.bounds.share }, () => vitalTurns.take(['acc_a', ''])))
  const waiting = get('full', 'acc_a')
  expect(await Promise.all([get('full', 'acc_b'), get('full', 'acc_c')])).toEqual([{ by: 'acc_b' }, { by: 'acc_b' }])
  for (const turn of share) turn.end()
  expect(await waiting).toEqual({ by: 'acc_a' })
  expect([cache.peek('full'), loads]).toEqual([{ by: 'acc_b' }, ['acc_a', 'acc_a', 'acc_b']])
})

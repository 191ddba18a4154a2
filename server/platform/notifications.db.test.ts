import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { pool } from './database.ts'
import { NotificationListener } from './notifications.ts'

await testDatabase()
const listener = new NotificationListener()
beforeAll(() => listener.start())
afterAll(() => listener.stop())

it('sends one notice for callers that wait together, and never relies on one that was sent before a call', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: sent, resolve: isSent } = Promise.withResolvers<void>()
  const send = pool().query.bind(pool()) as (...args: unknown[]) => Promise<unknown>
  const statements = vi.spyOn(pool(), 'query').mockImplementationOnce((async (...args: unknown[]) => {
    const result = await send(...args)
    isSent()
    await held
    return result
  }) as never)
  const first = Promise.all(Array.from({ length: 20 }, () => listener.caughtUp()))
  await sent
  const later = Promise.all(Array.from({ length: 20 }, () => listener.caughtUp()))
  release()
  await Promise.all([first, later])
  expect(statements).toHaveBeenCalledTimes(2)
})

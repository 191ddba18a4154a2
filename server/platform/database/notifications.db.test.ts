import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { testDatabase } from '../../testing/database.ts'
import { logLines } from '../../testing/logs.ts'
import { vital } from './database.ts'
import { NotificationListener } from './notifications.ts'

await testDatabase()
const listener = new NotificationListener()
beforeAll(() => listener.start())
afterAll(() => listener.stop())

it('sends one notice for callers that wait together, and never relies on one that was sent before a call', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: sent, resolve: isSent } = Promise.withResolvers<void>()
  const send = vital().query.bind(vital()) as (...args: unknown[]) => Promise<unknown>
  const statements = vi.spyOn(vital(), 'query').mockImplementationOnce((async (...args: unknown[]) => {
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

it('receives a notice that arrived while the process was busy for longer than it waits for one', async () => {
  await vital().query('SELECT 1')
  const lines = logLines()
  const received = listener.caughtUp()
  // The notice is sent in this turn of the event loop.
  await setImmediate()
  const end = performance.now() + 1_000
  while (performance.now() < end);
  await received
  expect(lines).toEqual([])
})

import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { env } from '../platform/config/config.ts'
import { services } from '../platform/container.ts'
import { pool, vital } from '../platform/database/database.ts'
import { asCaller } from '../platform/turns/caller.ts'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { provide } from '../testing/settings.ts'
import { checkStorage } from './health.ts'

await testDatabase()
provide({ DATABASE_POOL: '2' })
const baseUrl = await startHttpServer()

const ready = async () => {
  const response = await fetch(`${baseUrl}/readyz`)
  return [response.status, await response.json()]
}
const WELL = [200, { status: 'ok', checks: { database: 'answers', migrations: 'applied', storage: 'enough' } }]

test('/readyz responds while every connection of both pools is taken', async () => {
  const taken = await Promise.all([vital().connect(), asCaller({ address: '192.0.2.1' }, () => pool().connect())])
  expect(taken).toHaveLength(env().DATABASE_POOL)
  expect(await ready()).toEqual(WELL)
  for (const connection of taken) connection.release()
})

test('200 requests of /readyz at once share one statement, and none waits in the pool', async () => {
  const asked = vi.spyOn(pg.Client.prototype, 'query')
  const answers = await Promise.all(Array.from({ length: 200 }, ready))
  expect(answers).toEqual(Array.from({ length: 200 }, () => WELL))
  // Concurrent requests share a run; a slow machine may need a second one.
  expect(asked.mock.calls.length).toBeLessThan(20)
  expect(services().vitalTurns.load().waiting).toBe(0)
  asked.mockRestore()
})

test('/readyz reports a bucket that does not respond as degraded, without waiting for it', async () => {
  provide({ STORAGE_URL: 's3://bucket?endpoint=http://127.0.0.1:9' })
  const storage = vi.spyOn(services().storage, 'check').mockReturnValue(new Promise(() => {}))
  expect(await checkStorage()).toEqual({ state: 'degraded', checks: { storage: 'unavailable' } })
  storage.mockRestore()
  provide({ STORAGE_URL: undefined })
})

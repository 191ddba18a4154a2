import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { childEnvironment, env } from '../../../platform/config/config.ts'
import { db, query } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { sweepSessions } from '../sessions/sessions.ts'
import { throttledCode, throttledRecovery } from './verify-second-factor.ts'

await testDatabase()
const program = join(import.meta.dirname, '../../../testing/guess-codes.ts')
const wrong = async () => false
const right = async () => true
const from = (address: string = randomUUID(), known?: string) => ({ address, known })

it('four processes allow as many guesses of one user’s codes as one process', async () => {
  const { DATABASE_URL, BASE_URL } = env()
  const settings = JSON.stringify({ DATABASE_URL, BASE_URL, DATABASE_POOL: '5' })
  const userId = randomUUID()
  const guesses = Array.from({ length: 4 }, () =>
    promisify(execFile)(process.execPath, [program, settings, userId, '30'], { env: childEnvironment() }),
  )
  const checked = (await Promise.all(guesses)).map(({ stdout }) => Number(stdout))
  // Twenty, and one more for each minute that the test took.
  const all = checked.reduce((sum, one) => sum + one, 0)
  expect([20, 21]).toContain(all)
})

it('codes are refused at once beyond their limit, except from a device known from full sign-ins', async () => {
  const userId = randomUUID()
  const at = from()
  for (let round = 0; round < 5; round++) expect(await throttledCode(userId, at, wrong)).toBe(false)
  const refused = await throttledCode(userId, at, right).catch((error) => error)
  expect(refused).toMatchObject({
    code: 'TOO_MANY_ATTEMPTS',
    message: expect.stringMatching(/^Too many attempts\. Try again in \d+ seconds?\.$/),
  })
  expect(refused.extras.retryAfter).toBeGreaterThan(0)
  expect(refused.extras.retryAfter).toBeLessThanOrEqual(30)
  expect(await throttledCode(userId, from(at.address, randomUUID()), right)).toBe(true)
})

it('correct codes are not counted, and a refused attempt uses none of the preceding limits', async () => {
  const userId = randomUUID()
  const at = from()
  for (let round = 0; round < 12; round++) expect(await throttledCode(userId, at, right)).toBe(true)
  for (let round = 0; round < 5; round++) await throttledCode(userId, at, wrong)
  const held = () => db().sharedLimit.findUniqueOrThrow({ where: { name: `factor:${at.address}` } })
  const before = await held()
  await throttledCode(userId, at, wrong).catch(() => {})
  expect((await held()).availableAt.getTime() - before.availableAt.getTime()).toBeLessThan(2_000)
})

it('attempts become available with time, and expired limits are deleted', async () => {
  const userId = randomUUID()
  const at = from()
  for (let round = 0; round < 5; round++) await throttledCode(userId, at, wrong)
  await query('time-passes', `UPDATE shared_limit SET available_at = available_at - interval '31 seconds' WHERE name = $1`, [
    `code:${at.address}:${userId}`,
  ])
  expect(await throttledCode(userId, at, wrong)).toBe(false)
  await expect(throttledCode(userId, at, wrong)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
  await query('hours-pass', `UPDATE shared_limit SET available_at = available_at - interval '1 day'`, [])
  await sweepSessions()
  expect(await db().sharedLimit.count()).toBe(0)
})

it('recovery codes are limited per address', async () => {
  const address = randomUUID()
  const tries = await Promise.all(Array.from({ length: 130 }, () => throttledRecovery(address, wrong).catch((error) => error.code)))
  expect(tries.filter((one) => one === false).length).toBeGreaterThanOrEqual(100)
  expect(tries).toContain('TOO_MANY_ATTEMPTS')
})

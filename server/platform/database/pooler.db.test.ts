import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { authenticate } from '../../modules/access/keys/authenticate.ts'
import { revokeKey } from '../../modules/access/keys/end-key.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey } from '../../testing/make.ts'
import { keepsStatements, pgBouncerVersion, startPgBouncer } from '../../testing/services/pgbouncer.ts'
import { POOLS, provide, renew } from '../../testing/settings.ts'
import { connectionTo } from './connection.ts'
import { pool, vital } from './database.ts'
import { checkPooler } from './pooler.ts'

const version = pgBouncerVersion()
const { url } = await testDatabase()

test('PostgreSQL itself is no pooler', async () => {
  expect(await checkPooler(url, undefined)).toBe(false)
})

test.skipIf(!version || keepsStatements(version))('a PgBouncer that does not pass on the time zone is refused', async () => {
  await expect(checkPooler(await startPgBouncer(url), url)).rejects.toThrow('does not pass on a session’s time zone')
})

describe.skipIf(!version || !keepsStatements(version))('through PgBouncer in transaction mode', () => {
  afterEach(() => provide({ DATABASE_URL: url, DATABASE_DIRECT_URL: '' }))

  test('without a direct address the start is refused', async () => {
    const pooled = await startPgBouncer(url)
    await expect(checkPooler(pooled, undefined)).rejects.toThrow('Set DATABASE_DIRECT_URL')
    await expect(checkPooler(pooled, pooled)).rejects.toThrow('Set DATABASE_DIRECT_URL')
  })

  test('a PgBouncer that does not keep prepared statements is refused', async () => {
    await expect(checkPooler(await startPgBouncer(url), url)).rejects.toThrow('Use PgBouncer 1.21 or newer')
  })

  test('sessions that share a connection use UTC, also next to a client with another zone', async () => {
    const pooled = await startPgBouncer(url)
    const other = new pg.Client({ connectionString: pooled })
    await other.connect()
    const ours = new pg.Pool({ ...connectionTo(pooled, { pooled: true }), max: 3 })
    const zone = `SELECT current_setting('TimeZone') AS zone`
    for (let round = 0; round < 5; round++) {
      await other.query(`SET timezone = 'Asia/Kolkata'`)
      const answers = await Promise.all([1, 2, 3].map(() => ours.query(zone)))
      expect(answers.map(({ rows }) => rows[0].zone)).toEqual(['UTC', 'UTC', 'UTC'])
    }
    await Promise.all([other.end(), ours.end()])
  })

  test('PgBouncer 1.21 and newer serve, and a revoked key is refused', async () => {
    const owner = await makeAccount()
    const key = await makeKey(owner)
    const pooled = await startPgBouncer(url, { maxPreparedStatements: 200 })
    expect(await checkPooler(pooled, url)).toBe(true)
    provide({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: url, DATABASE_POOL: '4' })
    await Promise.all([pool().end(), vital().end()])
    renew(...POOLS, 'prisma')
    const use = async () => authenticate(key.value)
    await Promise.all(Array.from({ length: 50 }, use))
    await revokeKey(owner, { keyId: key.id })
    await expect
      .poll(() =>
        use().then(
          () => 'accepted',
          ({ code }) => code,
        ),
      )
      .toBe('INVALID_API_KEY')
  })
})

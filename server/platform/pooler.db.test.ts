import { afterEach, describe, expect, test } from 'vitest'
import { authenticate } from '../modules/api-keys/authenticate.ts'
import { revokeKey } from '../modules/api-keys/revoke-key.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey } from '../testing/make.ts'
import { keepsStatements, pgBouncerVersion, startPgBouncer } from '../testing/pgbouncer.ts'
import { provide, renew } from '../testing/settings.ts'
import { pool } from './database.ts'
import { NotificationListener } from './notifications.ts'
import { checkPooler } from './pooler.ts'

const version = pgBouncerVersion()
const { url } = await testDatabase()

test('PostgreSQL itself is no pooler', async () => {
  expect(await checkPooler(url, undefined)).toBe(false)
})

describe.skipIf(!version)('through PgBouncer in transaction mode', () => {
  afterEach(() => provide({ DATABASE_URL: url, DATABASE_DIRECT_URL: '' }))

  test('without a direct address the start is refused', async () => {
    const pooled = await startPgBouncer(url)
    await expect(checkPooler(pooled, undefined)).rejects.toThrow('Set DATABASE_DIRECT_URL')
    await expect(checkPooler(pooled, pooled)).rejects.toThrow('Set DATABASE_DIRECT_URL')
  })

  test('a PgBouncer that does not keep prepared statements is refused', async () => {
    await expect(checkPooler(await startPgBouncer(url), url)).rejects.toThrow('Use PgBouncer 1.21 or newer')
  })

  test('a listener behind it is never live; with the direct address it is', async () => {
    const listener = new NotificationListener()
    provide({ DATABASE_URL: await startPgBouncer(url) })
    await expect(listener.start(800)).rejects.toThrow('a heartbeat did not arrive')
    expect(listener.live).toBe(false)
    provide({ DATABASE_DIRECT_URL: url })
    const direct = new NotificationListener()
    await direct.start()
    expect(direct.live).toBe(true)
    await Promise.all([listener.stop(), direct.stop()])
  })

  test.skipIf(!version || !keepsStatements(version))('PgBouncer 1.21 and newer serve, and a revoked key is refused', async () => {
    const owner = await makeAccount()
    const key = await makeKey(owner)
    const pooled = await startPgBouncer(url, { maxPreparedStatements: 200 })
    expect(await checkPooler(pooled, url)).toBe(true)
    provide({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: url, DATABASE_POOL: '4' })
    await pool().end()
    renew('pool', 'prisma')
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

import { vi } from 'vitest'
import { query } from '../../../server/platform/database/database.ts'
import { migrate } from '../../../server/platform/database/migrate.ts'
import { notifications } from '../../../server/platform/database/notifications.ts'
import { databaseProxy } from '../../../server/testing/services/database-proxy.ts'
import { keepsStatements, pgBouncerVersion, startMovablePgBouncer } from '../../../server/testing/services/pgbouncer.ts'
import { type PostgresPair, startPostgresPair } from '../../../server/testing/services/postgres-pair.ts'
import { hasSwift, startSwift } from '../../../server/testing/services/swift.ts'
import { provide } from '../../../server/testing/settings.ts'
import { type Parts, temporaryFolder } from './cluster.ts'
import { CLUSTER_SETTINGS } from './settings.ts'

const SECRET = 'the secret of this trial, of no other use'

export interface Installation {
  /** Of every process. */
  settings: Record<string, string>
  parts: Parts
}

/**
 * Starts everything that the processes of a large installation depend on: PostgreSQL with a synchronous standby, PgBouncer and Swift where
 * they are installed. Gives this file's container the same settings; returns those of the processes.
 */
export async function startInstallation(bin: string): Promise<Installation> {
  const postgres = await startPostgresPair(bin, '-c max_connections=200')
  provide({
    ...CLUSTER_SETTINGS,
    DATABASE_URL: postgres.url,
    DATA_DIR: temporaryFolder('soak'),
    REELGATE_SECRET: SECRET,
    LOG_LEVEL: 'error',
  })
  await migrate(postgres.url)
  // PgBouncer does not pass on the service's own limit (docs/database.md).
  await query('', `ALTER ROLE postgres SET statement_timeout = '30s'`, [])
  await notifications().start()

  const { storage, ...swift } = await startStore()
  const pooler = await startPooler(postgres)
  const listenerProxies = await Promise.all(
    [...postgres.ports].reverse().map((port) => databaseProxy(`postgres://postgres@127.0.0.1:${port}/postgres`)),
  )
  const settings = {
    ...CLUSTER_SETTINGS,
    ...storage,
    REELGATE_SECRET: SECRET,
    DATABASE_URL: pooler?.url ?? postgres.url,
    DATABASE_DIRECT_URL: postgres.url,
  }
  return { settings, parts: { ...swift, postgres, listenerProxies, movePooler: pooler?.move } }
}

async function startStore(): Promise<Pick<Parts, 'swift'> & { storage: Record<string, string> }> {
  if (!hasSwift()) throw new Error('The trial of the cluster needs an object store: install the packages above.')
  const swift = await startSwift()
  for (const [name, value] of Object.entries(swift.credentials)) vi.stubEnv(name, value)
  const storage = { STORAGE_URL: await swift.makeBucket(), ...swift.credentials }
  provide({ STORAGE_URL: storage.STORAGE_URL })
  return { swift, storage }
}

/** Starts PgBouncer in front of the primary; prints a line and returns undefined without a version that can be used. */
async function startPooler(postgres: PostgresPair) {
  const version = pgBouncerVersion()
  if (!version || !keepsStatements(version)) {
    process.stderr.write(
      `PgBouncer 1.21 or newer is not installed${version ? ` (found ${version})` : ''}: the trial runs without a pooler.\n`,
    )
    return undefined
  }
  const primary = () => `postgres://postgres@127.0.0.1:${postgres.primaryPort()}/postgres`
  const { url, pointTo } = await startMovablePgBouncer(primary(), { maxPreparedStatements: 200 })
  return { url, move: () => pointTo(primary()) }
}

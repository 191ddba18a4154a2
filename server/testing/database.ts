import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { services } from '../platform/container.ts'
import { closeDb } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { notifications } from '../platform/database/notifications.ts'
import { atFileEnd } from './media/file-end.ts'
import { provide } from './settings.ts'

/** A zone half an hour off the hour, west of UTC, with daylight saving time. The tests' `TZ` is the same (vitest.config.ts). */
const FOREIGN_ZONE = 'America/St_Johns'

/**
 * Creates a migrated database and a data folder for this test file. Call it first, at the top of the file. Settings point at them, the
 * change listener runs, and everything is removed when the file ends. `locale`, as in CREATE DATABASE, overrides the server's own.
 */
export async function testDatabase({ locale }: { locale?: string } = {}): Promise<{ url: string; dataDir: string }> {
  const server = process.env.REELGATE_TEST_SERVER as string
  const name = `reelgate_test_${process.pid}_${randomBytes(6).toString('hex')}`
  const template = locale ? `template0 ${locale}` : process.env.REELGATE_TEST_TEMPLATE
  // A connection takes as long as the statement that creates a database, so it is kept until the database is dropped.
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}${process.env.REELGATE_TEST_STRATEGY}`)
  // What a foreign database may be set to. The service must not depend on it.
  await admin.query(`ALTER DATABASE ${name} SET timezone TO '${FOREIGN_ZONE}'; ALTER DATABASE ${name} SET datestyle TO 'SQL, DMY'`)
  const url = new URL(server)
  url.pathname = `/${name}`
  if (locale) await migrate(url.href)
  const dataDir = mkdtempSync(join(tmpdir(), 'reelgate-test-'))
  // Vitest sets BASE_URL to its own '/'; `startHttpServer()` replaces this one.
  provide({
    BASE_URL: 'http://localhost',
    DATABASE_URL: url.href,
    DATA_DIR: dataDir,
    REELGATE_SECRET: 'a secret for tests, the same in each of their processes',
    LOG_LEVEL: 'error',
    ACCESS_LOG: 'off',
  })
  await notifications().start()
  atFileEnd(async () => {
    // It would work on the database of this process's next file.
    if (services().worker.current) throw new Error('The test file did not stop its worker: call stopWorker().')
    // Otherwise, its timer would write to the database of this process's next file.
    await services().securityCounters.flush()
    await notifications().stop()
    await closeDb()
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { url: url.href, dataDir }
}

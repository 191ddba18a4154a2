import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { migrate } from '../platform/database/migrate.ts'
import { migrationNames } from '../platform/database/migration-names.ts'
import { routinesHash } from '../platform/database/routines.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded.ts'
import { buildContainer } from '../services.ts'
import { dropLeftoverDatabases } from './leftover-databases.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Starts one PostgreSQL for the whole run, with one migrated template in it, which each test file clones. To use another server, set
 * TEST_DATABASE_URL.
 */
export async function setup(): Promise<() => Promise<void>> {
  // Each project of the run calls it.
  if (process.env.REELGATE_TEST_SERVER) return async () => {}
  buildContainer()
  const own = process.env.TEST_DATABASE_URL
  const postgres = own
    ? undefined
    : await startEmbeddedPostgres({ dataDir: dataFolder(), durable: false, shared: true, maxConnections: 500 })
  const server = own ?? (postgres?.superuserUrl as string)
  const template = `reelgate_template_${schemaHash()}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await dropLeftoverDatabases(admin, 'reelgate_test_')
  const there = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate', [template])
  if (there.rowCount === 0) {
    await admin.query(`DROP DATABASE IF EXISTS ${template}`)
    await admin.query(`CREATE DATABASE ${template}`)
    const url = new URL(server)
    url.pathname = `/${template}`
    await migrate(url.href)
    await admin.query(`ALTER DATABASE ${template} IS_TEMPLATE true`)
  }
  const { rows } = await admin.query<{ setting: string }>(`SELECT setting FROM pg_settings WHERE name = 'server_version_num'`)
  await admin.end()
  process.env.REELGATE_TEST_SERVER = server
  // Takes a sixth of the default's time, which writes each page to the log. PostgreSQL 14 has no choice, and copies files.
  process.env.REELGATE_TEST_STRATEGY = Number(rows[0]?.setting) < 150_000 ? '' : ' STRATEGY FILE_COPY'
  process.env.REELGATE_TEST_TEMPLATE = template
  return async () => postgres?.stop()
}

const MEMORY = '/dev/shm'

/**
 * Returns the folder of the tests' PostgreSQL, which stays for the next run: in memory if 2 GiB are free. A journaling file system takes
 * five times as long to create each database's 800 files. Removes the folders of checkouts that are gone.
 */
function dataFolder(): string {
  const uid = process.getuid?.()
  for (const named of globSync(`${MEMORY}/reelgate-test-*/checkout`))
    if (statSync(named).uid === uid && !existsSync(readFileSync(named, 'utf8'))) rmSync(dirname(named), { recursive: true, force: true })
  const { bavail = 0, bsize = 0 } = existsSync(MEMORY) ? statfsSync(MEMORY) : {}
  if (bavail * bsize < 2 * 1024 ** 3) return join(root, '.cache/test')
  const ofThisFolder = createHash('sha256').update(`${root} ${uid}`).digest('hex').slice(0, 12)
  const folder = join(MEMORY, `reelgate-test-${ofThisFolder}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'checkout'), root)
  return folder
}

function schemaHash(): string {
  const hash = createHash('sha256')
  // The table of applied migrations has their names.
  for (const name of migrationNames()) hash.update(name).update(readFileSync(join(root, 'prisma/migrations', name, 'migration.sql')))
  return hash.update(routinesHash()).digest('hex').slice(0, 12)
}

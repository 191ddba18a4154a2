import { resolve } from 'node:path'
import pg from 'pg'
import { closeDb } from '../server/platform/database/database.ts'
import { migrate } from '../server/platform/database/migrate.ts'
import { startEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { SERVICE_ROLE } from '../server/platform/postgres/roles.ts'
import { buildContainer } from '../server/services.ts'
import { dropLeftoverDatabases } from '../server/testing/leftover-databases.ts'

const BENCH_DIR = resolve('.cache/bench')
const SECRET = 'the secret of the benchmark, shared with the servers it starts'

/** Runs a benchmark on a fresh database with durable commits, which the next benchmark drops; `settings` are for the servers it starts. */
export async function withDatabase<Result>(
  run: (settings: Record<string, string>, superuserUrl: string) => Promise<Result>,
): Promise<Result> {
  const postgres = await startEmbeddedPostgres({ dataDir: BENCH_DIR, database: `bench_${process.pid}` })
  const settings = {
    DATABASE_URL: postgres.url,
    DATABASE_OWNER_URL: postgres.ownerUrl,
    DATA_DIR: BENCH_DIR,
    REELGATE_SECRET: SECRET,
    BASE_URL: 'http://localhost',
    LOG_LEVEL: 'error',
  }
  buildContainer(settings)
  const admin = new pg.Client({ connectionString: postgres.superuserUrl })
  await admin.connect()
  await dropLeftoverDatabases(admin, 'bench_')
  await admin.end()
  await migrate(postgres.ownerUrl, { service: SERVICE_ROLE })
  try {
    return await run(settings, postgres.superuserUrl)
  } finally {
    await closeDb()
    await postgres.stop()
  }
}

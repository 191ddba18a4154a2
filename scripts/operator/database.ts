import { checkDatabase } from '../../server/http/health.ts'
import { env } from '../../server/platform/config.ts'
import { services } from '../../server/platform/container.ts'
import { closeDb } from '../../server/platform/database.ts'
import { attachToEmbeddedPostgres } from '../../server/platform/postgres/embedded.ts'
import { checkSecrets } from '../../server/platform/secret-fingerprints.ts'

/**
 * Runs `work` with a connection to the installation's database, and restores the database's state (running or stopped). Errors: in words
 * for the operator.
 */
export async function withDatabase<Result>(work: () => Promise<Result>): Promise<Result> {
  const { DATABASE_URL, DATA_DIR } = env()
  const embedded = DATABASE_URL ? undefined : await attachToEmbeddedPostgres(DATA_DIR)
  if (embedded) services().settings = { ...env(), DATABASE_URL: embedded.url }
  try {
    const { state, checks } = await checkDatabase()
    if (state === 'failing') throw new Error(PROBLEMS[checks.migrations ? 'migrations' : 'database'])
    await checkSecrets({ adopt: false })
    return await work()
  } finally {
    await closeDb()
    await embedded?.stop()
  }
}

const PROBLEMS = {
  database: 'Cannot connect to the database. Check that DATABASE_URL is correct and that the database is running.',
  migrations: 'The database schema does not match this version. Start the server of this version once (npm start), then try again.',
}

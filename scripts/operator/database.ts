import { checkDatabase } from '../../server/http/health.ts'
import { isRestoreUnfinished, UNFINISHED_RESTORE } from '../../server/platform/backup/unfinished-restore.ts'
import { env } from '../../server/platform/config/config.ts'
import { checkSecrets } from '../../server/platform/config/secret-fingerprints.ts'
import { services } from '../../server/platform/container.ts'
import { closeDb, pool } from '../../server/platform/database/database.ts'
import { attachToEmbeddedPostgres } from '../../server/platform/postgres/embedded.ts'
import { applyMove, readMove } from '../../server/platform/storage/media-move.ts'
import { openStore } from '../../server/platform/storage/storage.ts'

/** Points the settings at the embedded database, if the installation uses it. */
async function attach(): Promise<{ stop(): Promise<void> } | undefined> {
  const { DATABASE_URL, DATA_DIR } = env()
  if (DATABASE_URL) return undefined
  const { url, ownerUrl, stop } = await attachToEmbeddedPostgres(DATA_DIR)
  services().settings = { ...env(), DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl }
  return { stop }
}

/** Runs `work` with the URL of the installation's database, whatever its schema. */
export async function withDatabaseOfAnyVersion<Result>(work: () => Promise<Result>): Promise<Result> {
  const embedded = await attach()
  try {
    return await work()
  } finally {
    await embedded?.stop()
  }
}

/**
 * Runs `work` with a connection to the installation's database, and restores the database's state (running or stopped). Errors: in words
 * for the operator.
 */
export async function withDatabase<Result>(work: () => Promise<Result>): Promise<Result> {
  const embedded = await attach()
  try {
    // A probe gives up after two seconds, which a busy machine may need to connect.
    const { state, checks } = await checkDatabase(pool())
    if (checks.database === 'answers' && (await isRestoreUnfinished(pool()))) throw new Error(UNFINISHED_RESTORE)
    if (state === 'failing') throw new Error(PROBLEMS[checks.migrations ? 'migrations' : 'database'])
    await checkSecrets({ adopt: false })
    applyMove(await readMove(), openStore)
    return await work()
  } finally {
    await closeDb()
    await embedded?.stop()
  }
}

const PROBLEMS = {
  database: 'Cannot connect to the database. Check that DATABASE_URL is correct and that the database is running.',
  migrations:
    'The database schema does not match this version. Run npm run operator -- migrate, or start this version’s server once (npm start), then try again.',
}

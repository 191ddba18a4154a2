import { pool } from './infra/db.ts'
import { env } from './infra/env.ts'
import { migrationNames } from './infra/migrate.ts'

/** Whether this process can do its work: the database answers and every migration of this build is applied. */
export async function readiness(): Promise<{ ready: boolean; checks: Record<string, string> }> {
  if (!env().DATABASE_URL) return { ready: false, checks: { database: 'not started' } }
  try {
    const { rows } = await pool().query<{ migration_name: string }>(
      'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL',
    )
    const applied = new Set(rows.map((row) => row.migration_name))
    const missing = migrationNames().filter((name) => !applied.has(name))
    const migrations = missing.length === 0 ? 'applied' : `missing: ${missing.join(', ')}`
    return { ready: missing.length === 0, checks: { database: 'answers', migrations } }
  } catch {
    return { ready: false, checks: { database: 'does not answer' } }
  }
}

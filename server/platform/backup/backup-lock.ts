import pg from 'pg'
import { env } from '../config/config.ts'
import { connectionTo } from '../database/connection.ts'
import { ownerOf } from '../database/database-url.ts'

/** Advisory locks of the process that makes or removes this installation's backups, and of the one that verifies the scheduled ones. */
const LOCKS = { backup: 72_707_373, drill: 72_707_376 } as const

/** Thrown when work on backups cannot start because another process is doing it. */
export class BackupRunningError extends Error {}

/**
 * Runs `work` with its own connection, as the role that owns the tables, while no other process holds the lock. The lock ends with the
 * process. The `signal` that `work` gets also aborts when the connection is lost. Errors: BackupRunningError.
 */
export async function underBackupLock<Result>(
  signal: AbortSignal,
  work: (client: pg.Client, signal: AbortSignal) => Promise<Result>,
  lock: keyof typeof LOCKS = 'backup',
): Promise<Result> {
  const client = new pg.Client({ ...connectionTo(ownerOf(env()).url), application_name: 'reelgate backup', keepAlive: true })
  const lost = new AbortController()
  client.on('error', () => lost.abort(new Error('The connection to the database was lost.')))
  await client.connect()
  try {
    const { rows } = await client.query<{ ours: boolean }>('SELECT pg_try_advisory_lock($1) AS ours', [LOCKS[lock]])
    if (!rows[0]?.ours) throw new BackupRunningError('Another process is making a backup. Wait for it to finish.')
    return await work(client, AbortSignal.any([signal, lost.signal]))
  } finally {
    await client.end().catch(() => {})
  }
}

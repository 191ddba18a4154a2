import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { log } from '../observe/log.ts'
import { connectionTo } from './connection.ts'

/** The same lock that `prisma migrate deploy` takes, so that the two never run together. */
const MIGRATION_LOCK = 72_707_369

/** Longest time in milliseconds that a statement waits for a table: requests that need the table queue behind it. */
export const LOCK_TIMEOUT_MS = 2_000
const ATTEMPTS = 15
/** Milliseconds between two requests for the lock. */
const ASK_MS = 100
/** Refused requests after which the log says what this process waits for. The first start of two together takes less. */
const REFUSALS_UNSAID = 20
/** SQLSTATEs of a lock not granted in time, and of a deadlock. */
const BLOCKED = ['55P03', '40P01']

/**
 * Runs `work` while no other process migrates. A transaction on its own connection holds the lock, so it ends with the process, even
 * through a pooler, and `work` can run statements outside a transaction. Errors: the reason of `signal`, and connection errors.
 */
export async function underMigrationLock<Result>(
  url: string,
  signal: AbortSignal | undefined,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const lock = await connect(url)
  // A waiting statement ends with its connection.
  const stop = () => void lock.end().catch(() => {})
  signal?.addEventListener('abort', stop)
  try {
    for (let refused = 0; !(await takeLock(lock)); refused++) {
      if (refused === REFUSALS_UNSAID) log().info('another process updates the schema of the database; waiting for it')
      await wait(ASK_MS, undefined, { signal })
    }
    const client = await connect(url)
    // Without the lock, another process may start.
    lock.on('end', () => void client.end().catch(() => {}))
    try {
      await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}; SET statement_timeout = 0`)
      return await work(client)
    } finally {
      await client.end()
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    await lock.end()
  }
}

/**
 * Takes the lock in a transaction that stays open. Returns false, with no open transaction, if another process holds it: that process's
 * CREATE INDEX CONCURRENTLY waits for any transaction it saw run a statement, even while that one only waits to ask again.
 */
async function takeLock(lock: pg.Client): Promise<boolean> {
  await lock.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0')
  const { rows } = await lock.query<{ got: boolean }>(`SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS got`)
  if (rows[0]?.got) return true
  await lock.query('ROLLBACK')
  return false
}

/** Repeats `work` after a pause while it fails because a table it changes is in use. */
export async function patiently<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !BLOCKED.includes(codeOf(error) ?? '')) throw error
      await wait(Math.min(attempt * 100, 1_000), undefined, { signal })
    }
  }
}

/** Returns the SQLSTATE of an error or of its cause. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: unknown }
  return code ?? (cause ? codeOf(cause) : undefined)
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionTo(url), application_name: 'reelgate migration', keepAlive: true })
  client.on('error', () => {})
  await client.connect()
  return client
}

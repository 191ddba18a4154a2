import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { log } from '../observe/log.ts'
import { tracing } from '../observe/tracing.ts'
import { PrismaClient } from '../prisma/client.ts'
import { connectionTo } from './connection.ts'
import { db, pool, query, type Runner, statementSec, surviveLostConnections } from './database.ts'
import { isUtc } from './pooler.ts'
import { traceQueries } from './trace-sql.ts'

/** In seconds: a replica further behind is not read. Every process writes its heartbeat every 5 seconds. */
export const MOST_BEHIND_SEC = 15
/** Milliseconds that a check of the replica stays valid. */
const CHECK_MS = 2_000
/** Milliseconds that a replica is left alone after a failure. */
const PAUSE_MS = 10_000

/** One of the two databases: `on` for statements, `db` for Prisma. */
export interface Reads {
  on: Runner
  db: PrismaClient
}

/** The database at DATABASE_READ_URL. */
interface Replica extends Reads {
  on: pg.Pool
  /** By `performance.now()`, in milliseconds. */
  nextCheckAt: number
  usable: boolean
  checking: Promise<void> | undefined
}

declare module '../container.ts' {
  interface Services {
    replica: Replica | undefined
  }
}

const replica = () => services().replica

export function makeReplica(): Replica | undefined {
  const { DATABASE_READ_URL, DATABASE_POOL } = env()
  if (!DATABASE_READ_URL) return undefined
  const on = new pg.Pool({
    ...connectionTo(DATABASE_READ_URL, { pooled: true }),
    max: DATABASE_POOL,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    query_timeout: statementSec() * 1_000,
  })
  on.on('error', (error) => {
    if (!on.ending) log().warn({ err: error.message }, 'idle connection to DATABASE_READ_URL lost')
  })
  surviveLostConnections(on)
  if (tracing()) traceQueries(on, DATABASE_READ_URL)
  return { on, db: new PrismaClient({ adapter: new PrismaPg(on) }), nextCheckAt: 0, usable: false, checking: undefined }
}

/**
 * Runs `read`, which only reads and may see data up to `MOST_BEHIND_SEC` old, on the replica at DATABASE_READ_URL. Uses the primary if
 * there is no replica, if the replica is further behind, and again if the read fails there.
 */
export async function readLagging<Result>(read: (from: Reads) => Promise<Result>): Promise<Result> {
  const from = replica()
  if (from) {
    if (performance.now() >= from.nextCheckAt) {
      from.checking ??= check(from)
      await from.checking
    }
    if (from.usable) {
      try {
        return await read(from)
      } catch (error) {
        leaveAlone(from, error)
      }
    }
  }
  return read({ on: pool(), db: db() })
}

/** The newest heartbeat also ages while the connection between the two databases is cut. */
const BEHIND = `
  SELECT extract(epoch FROM clock_timestamp() - max(heartbeat_at))::float8 AS seconds, current_setting('TimeZone') AS zone FROM process`

const LOSES_SETTINGS = 'its connection pooler does not pass on a session’s time zone'

async function check(from: Replica): Promise<void> {
  try {
    const [row] = await query<{ seconds: number | null; zone: string }>('replica-behind', BEHIND, [], from.on)
    if (!isUtc(row?.zone)) throw new Error(LOSES_SETTINGS)
    const seconds = row?.seconds ?? Number.POSITIVE_INFINITY
    const usable = seconds <= MOST_BEHIND_SEC
    if (from.usable && !usable) log().warn({ seconds }, 'the database at DATABASE_READ_URL is too far behind; reads use DATABASE_URL')
    from.usable = usable
    from.nextCheckAt = performance.now() + CHECK_MS
  } catch (error) {
    leaveAlone(from, error)
  } finally {
    from.checking = undefined
  }
}

/** Returns how many seconds the replica is behind. Undefined without a replica, null when it does not respond. */
export async function replicaBehindSec(): Promise<number | null | undefined> {
  const from = replica()
  if (!from) return undefined
  try {
    const [row] = await query<{ seconds: number | null }>('replica-behind', BEHIND, [], from.on)
    return row?.seconds ?? null
  } catch {
    return null
  }
}

function leaveAlone(from: Replica, error: unknown): void {
  from.usable = false
  from.nextCheckAt = performance.now() + PAUSE_MS
  log().warn({ err: (error as Error).message }, 'a read at DATABASE_READ_URL failed; reads use DATABASE_URL')
}

/** Closes the connections to the replica. */
export async function closeReplica(): Promise<void> {
  const from = replica()
  await from?.db.$disconnect()
  await from?.on.end()
}

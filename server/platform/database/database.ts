import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { log } from '../observe/log.ts'
import { tracing } from '../observe/tracing.ts'
import { PrismaClient } from '../prisma/client.ts'
import { currentSubject, isService } from '../turns/caller.ts'
import { type Turn, Turns } from '../turns/turns.ts'
import { connectionTo } from './connection.ts'
import { traceQueries } from './trace-sql.ts'

declare module '../container.ts' {
  interface Services {
    /** Longest time of a statement in seconds, including waits for locks. After that, it is rolled back, and its request fails with 503. */
    statementSec: number
    pool: pg.Pool
    vitalPool: pg.Pool
    connectionTurns: Turns
    vitalTurns: Turns
    probePool: pg.Pool
    prisma: PrismaClient
  }
}

/**
 * The connections that Prisma and `query` use. Work for requests takes turns on half of DATABASE_POOL; the process's own work, such as
 * leases, heartbeats and notices, uses the vital connections.
 */
export const pool = () => services().pool

/** The connections of what must keep working under any outside load: the process's own work, tokens, keys and playback. */
export const vital = () => services().vitalPool

/** Milliseconds that a statement waits for a lock. One account's changes to one row wait in the process, without a connection. */
const LOCK_MS = 5_000
/** Milliseconds that a caller waits for a connection, or for its turn. */
const CONNECT_MS = 5_000

/** Returns how many turns are waiting for a connection of this process, for one group or in all. */
export const waitingForConnections = (group?: string): number =>
  services().connectionTurns.load(group).waiting + services().vitalTurns.load(group).waiting

/** Connections for callers. A process that serves none needs none. */
const forCallers = () => (env().ROLES.includes('web') ? Math.max(1, Math.floor(env().DATABASE_POOL / 2)) : 1)
const vitalPlaces = () => Math.max(1, env().DATABASE_POOL - forCallers())
const QUEUE = { queue: 500, waitMs: CONNECT_MS, retryAfter: 2 }

export function makeConnectionTurns(): Turns {
  const places = forCallers()
  return new Turns({ name: 'connections', places, share: Math.ceil(places / 4), alone: Math.ceil(places / 2), ...QUEUE })
}

export function makeVitalTurns(): Turns {
  const places = vitalPlaces()
  return new Turns({ name: 'vital-connections', places, share: Math.ceil(places / 2), ...QUEUE })
}

export function makePool(): pg.Pool {
  const made = openPool(forCallers())
  takeTurns(made, services().connectionTurns)
  const connect = made.connect
  made.connect = ((callback?: Callback) =>
    isService() ? (vital().connect as Connect)(callback) : (connect as Connect).call(made, callback)) as typeof connect
  return made
}

export function makeVitalPool(): pg.Pool {
  const made = openPool(vitalPlaces())
  takeTurns(made, services().vitalTurns)
  return made
}

type Callback = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: Error) => void) => void
type Connect = (callback?: Callback) => unknown

/** Makes a pool lend its connections in turns. */
function takeTurns(made: pg.Pool, turns: Turns): void {
  const connect = made.connect.bind(made) as unknown as (callback: Callback) => void
  const held = new WeakMap<pg.PoolClient, Turn>()
  made.on('release', (_error: Error | undefined, client: pg.PoolClient) => held.get(client)?.end())
  const lend = (callback: Callback) => {
    const begin = (turn: Turn) =>
      connect((error, client, release) => {
        if (client) held.set(client, turn)
        else turn.end()
        callback(error, client, release)
      })
    try {
      const turn = turns.take(currentSubject())
      if (turn instanceof Promise) turn.then(begin, callback)
      else begin(turn)
    } catch (refused) {
      callback(refused as Error)
    }
  }
  made.connect = ((callback?: Callback) =>
    callback
      ? lend(callback)
      : new Promise<pg.PoolClient>((resolve, reject) => {
          lend((error, client) => (client ? resolve(client) : reject(error)))
        })) as typeof made.connect
}

export const makeStatementSec = () => 30
export const statementSec = () => services().statementSec

function openPool(max: number): pg.Pool {
  const { DATABASE_URL = '', DATABASE_DIRECT_URL } = env()
  // Without connectionTimeoutMillis, an exhausted pool would wait forever.
  const made = new pg.Pool({
    ...connectionTo(DATABASE_URL, { pooled: DATABASE_DIRECT_URL !== undefined }),
    max,
    // A transaction's statements that do not wait for each other share one round trip.
    pipeline: true,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 30_000,
    // The database cancels a statement that takes too long; a database that does not respond at all is given up slightly later.
    // A pooler refuses these parameters: its operator sets them for the role (docs/database.md).
    ...(DATABASE_DIRECT_URL ? {} : { statement_timeout: statementSec() * 1_000, lock_timeout: LOCK_MS }),
    query_timeout: statementSec() * 1_000 + 2_000,
  })
  // A broken idle connection must not end the process; the next query opens another.
  made.on('error', (error) => {
    if (!made.ending) log().warn({ err: error.message }, 'idle database connection lost')
  })
  surviveLostConnections(made)
  if (tracing()) traceQueries(made, DATABASE_URL)
  return made
}

/**
 * Keeps the process alive when a pool connection breaks while lent. The pool listens only to idle connections, the borrower only a moment
 * after it gets one, and an error without a listener ends the process. The current or next statement receives the error too.
 */
export const surviveLostConnections = (on: pg.Pool) => on.on('connect', (connection) => connection.on('error', () => {}))

/**
 * One connection that only checks whether the database responds (`/readyz`), so that a busy shared pool does not take the process out of
 * service.
 */
export const probe = () => services().probePool

export function makeProbePool(): pg.Pool {
  const { DATABASE_URL = '', DATABASE_DIRECT_URL } = env()
  const made = new pg.Pool({
    ...connectionTo(DATABASE_URL, { pooled: DATABASE_DIRECT_URL !== undefined }),
    max: 1,
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    query_timeout: 2_000,
  })
  // The next check opens another connection, and reports a failure to do so.
  made.on('error', () => {})
  return made
}

/** Closes the probe's connection; the next check opens another. */
export async function renewProbe(): Promise<void> {
  const { probePool } = services()
  services().probePool = makeProbePool()
  await probePool.end()
}

/** Prisma, for everything except the hot path. */
export const db = () => services().prisma

export function makePrisma(): PrismaClient {
  const adapter = new PrismaPg(pool(), { statementNameGenerator: statementName })
  // Prisma's own limits of 2 and 5 seconds would roll back slow transactions; the statements have timeouts of their own.
  const transactionOptions = { maxWait: 5_000, timeout: statementSec() * 1_000 }
  return new PrismaClient({ adapter, transactionOptions })
}

const names = new Map<string, string>()
/** Returns a short name that is stable per text. Beyond the bound (lists of every length create new texts), statements are unnamed. */
function statementName({ sql }: { sql: string }): string {
  const known = names.get(sql)
  if (known || names.size >= 1_000) return known ?? ''
  const name = `p${names.size}`
  names.set(sql, name)
  return name
}

/** A transaction, as Prisma passes it to its callback. */
export type Tx = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0]

/** Makes what this transaction queues and emits continue a stored trace. Does nothing in a process that records none. */
export async function continueTrace(tx: Pick<Tx, '$executeRaw'>, traceparent: string): Promise<void> {
  if (tracing()) await tx.$executeRaw`SELECT set_config('reelgate.traceparent', ${traceparent}, true)`
}

/** Runs statements: the pool, or one connection inside its transaction. */
export type Runner = Pick<pg.ClientBase, 'query'>

/** Runs one named (prepared) statement on the shared pool, at a third of Prisma's CPU per read. */
export async function query<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
  values: unknown[],
  on: Runner = pool(),
): Promise<Row[]> {
  const result = await on.query<Row>({ name, text, values })
  return result.rows
}

/** SQLSTATE of a change in a read-only transaction. */
const READ_ONLY = '25006'

/** Runs `work` in its own transaction on one connection of `from`, with database `settings` (`name = value`). */
export async function transaction<Result>(
  work: (connection: Runner) => Promise<Result>,
  settings: string[] = [],
  from = pool(),
): Promise<Result> {
  const connection = await from.connect()
  try {
    // Shares a round trip with the first statement, which fails too if this one does.
    const begun = connection.query(['BEGIN', ...settings.map((setting) => `SET LOCAL ${setting}`)].join('; '))
    begun.catch(() => {})
    const result = await work(connection)
    await begun
    await connection.query('COMMIT')
    connection.release()
    return result
  } catch (error) {
    // A connection that cannot even roll back is broken and must not return to the pool. A connection to a server that became read-only
    // would fail every change; another may reach the new primary.
    const isReadOnly = (error as { code?: string }).code === READ_ONLY
    await connection.query('ROLLBACK').then(
      () => connection.release(isReadOnly ? (error as Error) : undefined),
      (broken: Error) => connection.release(broken),
    )
    throw error
  }
}

/**
 * Runs one named statement that reads tables by index, whatever the planner estimates: a queue that was empty when the statement was
 * planned soon is long, and would be scanned for each row of a page.
 */
export const queryByIndex = <Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> =>
  transaction((connection) => query<Row>(name, text, values, connection), ['enable_seqscan = off'])

/** Closes the pools, after running queries end. */
export async function closeDb(): Promise<void> {
  await db().$disconnect()
  await Promise.all([pool().end(), vital().end(), probe().end()])
}

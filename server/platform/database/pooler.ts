import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { connectionTo, DIRECT } from './connection.ts'
import { hostsOf } from './database-url.ts'

/** Why a pooler cannot be used, in words for the operator. */
export class PoolerError extends Error {}

const NEEDS_DIRECT =
  'DATABASE_URL goes through a connection pooler, which does not deliver change notices. Set DATABASE_DIRECT_URL to PostgreSQL itself.'
const LOSES_STATEMENTS =
  'the connection pooler at DATABASE_URL does not keep prepared statements. Use PgBouncer 1.21 or newer with max_prepared_statements above 0.'

const LOSES_SETTINGS = 'the connection pooler at DATABASE_URL does not pass on a session’s time zone. Use PgBouncer 1.21 or newer.'

/** SQLSTATE of a server that rejects a connection's first message. */
const PROTOCOL_VIOLATION = '08P01'

/** Names of UTC in PostgreSQL. */
const UTC = /^(Etc\/)?(UTC|UCT|GMT|Universal|Zulu)$/i

/** Returns whether a session's time zone, as PostgreSQL names it, is UTC. */
export const isUtc = (zone: string | undefined): boolean => UTC.test(zone ?? '')

/** How often a statement is repeated on other connections of the pooler. */
const ROUNDS = 5

/**
 * Checks at start that a pooler at `url`, if there is one, supports what this service relies on, and that `direct` bypasses it. Returns
 * whether there is a pooler. Errors: PoolerError, also when sessions do not get UTC or what `DIRECT` says, and connection errors.
 */
export async function checkPooler(url: string, direct: string | undefined): Promise<boolean> {
  const [one, other] = await Promise.all([connect(url), connect(url)])
  try {
    // A pooler invents the key that its client could cancel a statement with; PostgreSQL sends its process ID.
    const { rows } = await one.query<{ pid: number; zone: string }>(`SELECT pg_backend_pid() AS pid, current_setting('TimeZone') AS zone`)
    if (!isUtc(rows[0]?.zone)) throw new PoolerError(LOSES_SETTINGS)
    const isPooler = rows[0]?.pid !== (one as unknown as { processID: number }).processID
    if (isPooler && (!direct || hostsOf(direct).join() === hostsOf(url).join())) throw new PoolerError(NEEDS_DIRECT)
    // With a direct address, connections to this one are not given settings, pooler or not.
    if (direct) await checkSettings(one)
    if (isPooler) await checkStatements(one, other)
    return isPooler
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}

/** Compares the settings that come from the role and the database. The default search path finds `public` first, unless the role has a schema. */
async function checkSettings(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isolation: string; schema: string | null }>(
    `SELECT current_setting('default_transaction_isolation') AS isolation, current_schema() AS schema`,
  )
  const found = { default_transaction_isolation: rows[0]?.isolation, search_path: rows[0]?.schema }
  for (const [name, value] of Object.entries(DIRECT))
    if (found[name as keyof typeof found] !== value)
      throw new PoolerError(
        `the role or the database in DATABASE_URL sets ${name}, which must be ${value}. Run ALTER ROLE … SET ${name} = '${value}', then reload the pooler.`,
      )
}

/** Executes a prepared statement again while another client occupies the connection it was prepared on. */
async function checkStatements(one: pg.Client, other: pg.Client): Promise<void> {
  const name = `reelgate-${randomBytes(4).toString('hex')}`
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await one.query({ name, text: 'SELECT 1' })
      await Promise.all([other.query('SELECT pg_sleep(0.05)'), one.query({ name, text: 'SELECT 1' })])
    }
  } catch (error) {
    // Prepared elsewhere, or already there from another round.
    if (['26000', '42P05'].includes((error as { code?: string }).code ?? '')) throw new PoolerError(LOSES_STATEMENTS, { cause: error })
    throw error
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionTo(url, { pooled: true }), connectionTimeoutMillis: 5_000, query_timeout: 5_000 })
  client.on('error', () => {})
  // PgBouncer before 1.20, and some other poolers, refuse a connection with settings.
  await client.connect().catch((error: Error & { code?: string }) => {
    throw error.code === PROTOCOL_VIOLATION && error.message.includes('startup parameter')
      ? new PoolerError(LOSES_SETTINGS, { cause: error })
      : error
  })
  return client
}

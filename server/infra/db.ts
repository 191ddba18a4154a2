import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { env } from './env.ts'
import { log } from './log.ts'
import { PrismaClient } from './prisma/client.ts'
import { processWide } from './process-wide.ts'

/** The connection pool that Prisma and the hot path share. */
export const pool = () =>
  processWide('pool', () => {
    const { DATABASE_URL, DATABASE_POOL } = env()
    // Without connectionTimeoutMillis an exhausted pool would wait for ever.
    const made = new pg.Pool({
      connectionString: DATABASE_URL,
      max: DATABASE_POOL,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
    })
    // An idle connection that breaks must not end the process; the next query opens another.
    made.on('error', (error) => log().warn({ err: error.message }, 'an idle database connection was lost'))
    return made
  })

/** Prisma, for everything but the hot path. */
export const db = () =>
  processWide('prisma', () => new PrismaClient({ adapter: new PrismaPg(pool(), { statementNameGenerator: statementName }) }))

const names = new Map<string, string>()
/** Short and stable per text. Past the bound (lists of every length make new texts) statements go unnamed. */
function statementName({ sql }: { sql: string }): string {
  let name = names.get(sql)
  if (!name && names.size >= 1_000) return ''
  if (!name) names.set(sql, (name = `p${names.size}`))
  return name
}

/** A transaction, as Prisma hands it to its callback. */
export type Tx = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0]

/** One named (prepared) statement on the shared pool: a third of Prisma's CPU per read. */
export async function query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> {
  const result = await pool().query<Row>({ name, text, values })
  return result.rows
}

/** Closes the pool; running queries end first. */
export async function closeDb(): Promise<void> {
  await db().$disconnect()
  await pool().end()
}

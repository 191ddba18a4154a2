import pg from 'pg'
import { Agent, fetch } from 'undici'
import { type Child, startChild } from '../child.ts'
import type { Seeded } from '../seed.ts'
import type { Router } from './router.ts'
import type { Tenant } from './tenants.ts'

/** One cell: a database, and a server that reaches no other one. */
export class Cell {
  readonly database: pg.Pool
  private child: Child
  private readonly env: Record<string, string>
  private readonly agent = new Agent({ connections: 64 })

  constructor(env: Record<string, string>, child: Child) {
    this.database = new pg.Pool({ connectionString: env.DATABASE_URL, max: 2 })
    this.env = env
    this.child = child
  }

  /** Adds an account and tells the router where it is. */
  async addTenant(quota: number, router: Router): Promise<Tenant> {
    const { ctx, keyId, key, videoId } = await this.child.ask<Seeded>('tenant')
    await this.database.query('UPDATE api_key SET daily_quota = $2 WHERE id = $1', [keyId, quota])
    router.place(ctx.accountId, this)
    return { accountId: ctx.accountId, keyId, key, videoId, granted: 0, refused: 0, unanswered: 0 }
  }

  /** Requests a playback token; resolves with the status, 0 without an answer. */
  async takeToken({ videoId, key }: Tenant): Promise<number> {
    try {
      const url = `${this.child.url}/v1/video/${videoId}/playback-token`
      const response = await fetch(url, { method: 'POST', headers: { 'x-service-key': key }, dispatcher: this.agent })
      await response.arrayBuffer()
      return response.status
    } catch {
      return 0
    }
  }

  /** Kills the server in the middle of its requests. */
  fail(): Promise<void> {
    return this.child.stop()
  }

  async recover(): Promise<void> {
    this.child = await startChild('reelgate', { env: this.env })
  }

  /** Returns the tokens of the present day according to the database. */
  async issued({ keyId }: Tenant): Promise<number> {
    const { rows } = await this.database.query<{ issued: number }>(
      `SELECT COALESCE(sum(issued), 0)::int AS issued FROM key_day WHERE key_id = $1`,
      [keyId],
    )
    return rows[0]?.issued ?? 0
  }

  async rowsOf({ accountId }: Tenant): Promise<number> {
    const { rows } = await this.database.query<{ rows: number }>(
      `SELECT (SELECT count(*) FROM account WHERE id = $1)::int + (SELECT count(*) FROM api_key WHERE account_id = $1)::int
         + (SELECT count(*) FROM video WHERE account_id = $1)::int AS rows`,
      [accountId],
    )
    return rows[0]?.rows ?? 0
  }

  async stop(): Promise<void> {
    await this.child.stop()
    await this.agent.close()
    await this.database.end()
  }
}

/** Starts the cell with this number in a database of its own. */
export async function startCell(
  env: Record<string, string>,
  { at, superuserUrl, migrate }: { at: number; superuserUrl: string; migrate: (url: string) => Promise<unknown> },
): Promise<Cell> {
  // Copies of rows set the replication role, which only a superuser may.
  const url = new URL(superuserUrl)
  const admin = new pg.Client({ connectionString: superuserUrl })
  await admin.connect()
  url.pathname += `_cell${at}`
  await admin.query(`CREATE DATABASE "${url.pathname.slice(1)}"`)
  await admin.end()
  await migrate(url.href)
  await separateSequences(url.href, at)
  const own = { ...env, DATABASE_URL: url.href, DATABASE_OWNER_URL: url.href }
  return new Cell(own, await startChild('reelgate', { env: own }))
}

/** Numbers that sequences of one cell may give. */
const RANGE = 1_000_000_000_000

/** Gives each cell a range of its own: rows with a number as their key move between cells. */
async function separateSequences(url: string, at: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, ${at * RANGE + 1}) FROM pg_sequences
    WHERE schemaname = 'public' AND max_value > ${(at + 1) * RANGE}`)
  await client.end()
}

export const stopCell = (cell: Cell) => cell.stop()

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type pg from 'pg'
import { isOlder, version } from '../config/version.ts'

const folder = join(import.meta.dirname, '../../../prisma/routines')

/** Column defaults call these, so they exist before the tables and are replaced in place. */
const CLOCKS = ['service_now', 'service_clock']

interface Routine {
  name: string
  sql: string
  checksum: string
}

/** The functions, with their triggers, and the views that this build brings. Functions come first, because views call them. */
function routines(): Routine[] {
  const all = readdirSync(folder)
    .sort()
    .map((file) => {
      const sql = readFileSync(join(folder, file), 'utf8')
      return { name: basename(file, '.sql'), sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
  return [...all.filter((one) => !isView(one)), ...all.filter(isView)]
}

const isView = ({ sql }: Routine) => /^CREATE (OR REPLACE )?VIEW /m.test(sql)

/** One hash of all routines of this build. */
export const routinesHash = () =>
  createHash('sha256')
    .update(
      routines()
        .map(({ name, checksum }) => `${name} ${checksum}\n`)
        .join(''),
    )
    .digest('hex')

/** Creates the clocks that column defaults call, if they are missing, in a migration's transaction. */
export async function makeClocks(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ there: boolean | null }>(
    'SELECT bool_and(to_regproc(name) IS NOT NULL) AS there FROM unnest($1::text[]) AS name',
    [CLOCKS],
  )
  if (!rows[0]?.there) for (const { name, sql } of routines()) if (CLOCKS.includes(name)) await client.query(sql)
}

/**
 * Applies, in one transaction, every routine whose file changed since it was last applied, and drops those whose file is gone. Recreates
 * views with any function, since one may call it. Applies nothing over a later version's routines, whose processes may be running. Returns
 * the names it applied.
 */
export async function applyRoutines(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string; checksum: string; version: string }>(
    'SELECT name, checksum, version FROM routine_checksum',
  )
  if (rows.some((row) => isOlder(version(), row.version))) return []
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  const all = routines()
  const differs = all.filter(({ name, checksum }) => applied.get(name) !== checksum)
  const gone = [...applied.keys()].filter((name) => !all.some((one) => one.name === name))
  if (differs.length === 0 && gone.length === 0) return []
  const wanted = all.filter((one) => differs.includes(one) || isView(one))
  await client.query('BEGIN')
  try {
    // The bodies refer to functions and views that come later.
    await client.query('SET LOCAL check_function_bodies = off')
    await drop(
      client,
      [...gone, ...wanted.map(({ name }) => name)].filter((name) => !CLOCKS.includes(name)),
    )
    for (const one of wanted) await apply(client, one)
    await client.query('DELETE FROM routine_checksum WHERE name = ANY ($1)', [gone])
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
  return wanted.map(({ name }) => name)
}

async function apply(client: pg.ClientBase, { name, sql, checksum }: Routine): Promise<void> {
  await client.query(sql).catch((cause) => {
    throw new Error(`${name}: ${cause.message}`, { cause })
  })
  await client.query(
    `INSERT INTO routine_checksum (name, checksum, version) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET checksum = EXCLUDED.checksum, version = EXCLUDED.version`,
    [name, checksum, version()],
  )
}

/** Drops views, then functions with only their own triggers, so that nothing remains of an old signature or a removed trigger. */
async function drop(client: pg.ClientBase, names: string[]): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('DROP VIEW %s', c.oid::regclass) AS statement FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v' AND c.relname = ANY ($1)
     UNION ALL
     SELECT format('DROP FUNCTION %s %s', p.oid::regprocedure, CASE WHEN p.prorettype = 'trigger'::regtype THEN 'CASCADE' END) FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1)`,
    [names],
  )
  for (const { statement } of rows) await client.query(statement)
}

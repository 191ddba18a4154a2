import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type pg from 'pg'
import { isOlder, version } from '../config/version.ts'

const folder = join(import.meta.dirname, '../../../prisma/routines')

/** Defaults of columns call them, so that they are there before the tables, and are replaced in place. */
const CLOCKS = ['service_now', 'service_clock']

interface Routine {
  name: string
  sql: string
  checksum: string
}

/** The functions, with their triggers, and the views that this build brings; functions first, because views call them. */
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

/** One hash over all routines of this build. */
export const routinesHash = () =>
  createHash('sha256')
    .update(
      routines()
        .map(({ name, checksum }) => `${name} ${checksum}\n`)
        .join(''),
    )
    .digest('hex')

/** Makes the clocks that defaults of columns call, where they are missing. In the transaction of a migration. */
export async function makeClocks(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ there: boolean | null }>(
    'SELECT bool_and(to_regproc(name) IS NOT NULL) AS there FROM unnest($1::text[]) AS name',
    [CLOCKS],
  )
  if (!rows[0]?.there) for (const { name, sql } of routines()) if (CLOCKS.includes(name)) await client.query(sql)
}

/**
 * Applies, in one transaction, every routine whose file is another than the one applied last, and drops those whose file is gone.
 * Views are made again with any function, since one may call it. Applies nothing over the routines of a later version, whose processes run
 * at the same time. Returns the names applied.
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
    // The bodies name functions and views that come later.
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

/** Drops views, then functions, with the triggers of those alone. So nothing is left of an older signature or a trigger that went. */
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

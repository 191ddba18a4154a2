import type pg from 'pg'
import type { Cell } from './cell.ts'
import type { Router } from './router.ts'
import type { Tenant } from './tenants.ts'

/** Tables with rows of an account, by a column that names it. Partitions are reached through their table. */
const TABLES = `
  SELECT c.relname AS table, a.attname AS column FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND (a.attname = 'account_id' OR (c.relname = 'account' AND a.attname = 'id'))
    AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname`

/** Tables that name a key and no account. */
const OF_KEYS = ['key_day', 'key_cap']

/**
 * Moves an account to another cell: its requests are held, its rows copied, then deleted in the former cell, and the router finds it in the
 * new one. The copy commits first: a fault in between leaves two copies, one of which the router knows, never none. Returns milliseconds.
 */
export async function moveAccount(router: Router, tenant: Tenant, to: Cell): Promise<number> {
  const from = router.cellOf(tenant)
  const began = performance.now()
  await router.hold(tenant, async () => {
    const source = await from.database.connect()
    const target = await to.database.connect()
    try {
      for (const one of [source, target]) await one.query('BEGIN; SET LOCAL session_replication_role = replica')
      // Every grant takes this lock first: a grant that the router does not know of ends before, or finds no key.
      await source.query('SELECT 1 FROM wallet WHERE account_id = $1 FOR UPDATE', [tenant.accountId])
      const parts = await partsOf(source, tenant)
      for (const part of parts) await copy(source, target, part)
      await target.query('COMMIT')
      for (const { table, where, value } of parts.toReversed()) await source.query(`DELETE FROM "${table}" WHERE ${where}`, [value])
      await source.query('COMMIT')
    } finally {
      source.release()
      target.release()
    }
    router.place(tenant.accountId, to)
  })
  return performance.now() - began
}

interface Part {
  table: string
  where: string
  value: string | string[]
}

async function partsOf(source: pg.ClientBase, { accountId }: Tenant): Promise<Part[]> {
  const { rows } = await source.query<{ table: string; column: string }>(TABLES)
  const ofAccount = rows.map(({ table, column }) => ({ table, where: `"${column}" = $1`, value: accountId }))
  const keys = await source.query<{ id: string }>('SELECT id FROM api_key WHERE account_id = $1', [accountId])
  const named = new Set(rows.map(({ table }) => table))
  const ofKeys = OF_KEYS.filter((table) => !named.has(table)).map((table) => ({
    table,
    where: 'key_id = ANY ($1)',
    value: keys.rows.map(({ id }) => id),
  }))
  return [...ofAccount, ...ofKeys]
}

async function copy(source: pg.ClientBase, target: pg.ClientBase, { table, where, value }: Part): Promise<void> {
  const { rows } = await source.query<{ rows: string }>(
    `SELECT COALESCE(json_agg(t), '[]')::text AS rows FROM "${table}" AS t WHERE ${where}`,
    [value],
  )
  await target.query(`INSERT INTO "${table}" OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::"${table}", $1::json)`, [
    rows[0]?.rows,
  ])
}

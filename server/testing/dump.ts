import { query } from '../platform/database/database.ts'

const TABLES = `
  SELECT oid::regclass::text AS name FROM pg_class
  WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema') AND relnamespace::regnamespace::text NOT LIKE 'pg_toast%'
  ORDER BY 1`

/** Returns the rows of every table as text, by table, as a dump of the database has them. Bytes are hexadecimal. */
export async function dumpTables(): Promise<Map<string, string>> {
  const dump = new Map<string, string>()
  for (const { name } of await query<{ name: string }>('dump-tables', TABLES, [])) {
    const [row] = await query<{ text: string | null }>('', `SELECT string_agg(row::text, chr(10)) AS text FROM ${name} AS row`, [])
    dump.set(name, row?.text ?? '')
  }
  return dump
}

/** Returns the names of the tables in which a text occurs in any form (`formsOf`). */
export const tablesWith = (dump: Map<string, string>, text: string): string[] =>
  [...dump].filter(([, rows]) => formsOf(text).some((form) => rows.includes(form))).map(([table]) => table)

/** Returns a text of at least 13 bytes as it is, in hexadecimal, in base64 at any offset, and percent-encoded. */
export function formsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  // Of a whole number of groups within a longer value.
  const base64 = [0, 1, 2].map((skip) => bytes.subarray(skip, skip + Math.floor((bytes.length - skip) / 3) * 3).toString('base64'))
  const hex = bytes.toString('hex')
  return [
    text,
    encodeURIComponent(text),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

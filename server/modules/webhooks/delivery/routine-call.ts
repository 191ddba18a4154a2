import type { QueryResultRow } from 'pg'
import { query } from '../../../platform/database/database.ts'

const texts = new Map<string, string>()

/**
 * Calls a database function (`prisma/routines`) as a prepared statement with named arguments. Resolves with its rows. For a function
 * without output columns, they have the column `result`. Each function is called with the same names in the same order.
 */
export function callRoutine<Row extends QueryResultRow>(name: string, args: Record<string, unknown>): Promise<Row[]> {
  let text = texts.get(name)
  if (text === undefined) {
    const named = Object.keys(args).map((argument, index) => `${argument} => $${index + 1}`)
    text = `SELECT * FROM ${name}(${named.join(', ')}) AS result`
    texts.set(name, text)
  }
  return query<Row>(name, text, Object.values(args))
}

/** Formats integers as a PostgreSQL array literal, faster than the client's encoder. */
export const integers = (values: readonly (number | string | undefined)[]): string => `{${values.map((value) => value ?? 'NULL').join()}}`

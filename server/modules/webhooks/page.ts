import { ServiceError } from '../../errors.ts'

export const PAGE = 50

/** Parses a cursor into the number of the last row of the previous page. Errors: INVALID_REQUEST for a malformed cursor. */
export function placeOf(cursor: string | undefined): bigint | undefined {
  if (cursor === undefined) return undefined
  if (/^\d{1,18}$/.test(cursor)) return BigInt(cursor)
  throw new ServiceError('INVALID_REQUEST', { message: 'This page of the list does not exist. Reload the list.' })
}

/** Returns a page and its cursor from rows read with the limit `PAGE + 1`: the extra row shows that another page exists. */
export function pageOf<Row>(rows: Row[], place: (row: Row) => bigint): { rows: Row[]; nextCursor: string | null } {
  const shown = rows.slice(0, PAGE)
  const last = rows.length > PAGE ? shown.at(-1) : undefined
  return { rows: shown, nextCursor: last ? String(place(last)) : null }
}

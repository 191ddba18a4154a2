import { ServiceError } from '../../errors.ts'

export const PAGE = 50

/** Where a page of a list by number ended, from its cursor. Errors: INVALID_REQUEST for one that is none of ours. */
export function placeOf(cursor: string | undefined): bigint | undefined {
  if (cursor === undefined) return undefined
  if (/^\d{1,18}$/.test(cursor)) return BigInt(cursor)
  throw new ServiceError('INVALID_REQUEST', { message: 'This page of the list does not exist. Load the list again.' })
}

/** One more row than a page has was asked for, which tells whether there is another page. */
export function pageOf<Row>(rows: Row[], place: (row: Row) => bigint): { rows: Row[]; nextCursor: string | null } {
  const shown = rows.slice(0, PAGE)
  const last = rows.length > PAGE ? shown.at(-1) : undefined
  return { rows: shown, nextCursor: last ? String(place(last)) : null }
}

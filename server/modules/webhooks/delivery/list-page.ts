import { ServiceError } from '../../../errors.ts'

/** Rows of one page of the lists of events and deliveries. */
export const PAGE_SIZE = 50

/** Parses a cursor into the number of the last row of the previous page. Errors: INVALID_REQUEST for a malformed cursor. */
export function parseRowCursor(cursor: string | undefined): bigint | undefined {
  if (cursor === undefined) return undefined
  if (/^\d{1,18}$/.test(cursor)) return BigInt(cursor)
  throw new ServiceError('INVALID_REQUEST', { message: 'This page of the list does not exist. Reload the list.' })
}

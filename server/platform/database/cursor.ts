/** Returns the opaque cursor of a row: the values that determine its place in a list. */
export const encodeCursor = (values: readonly string[]): string => Buffer.from(JSON.stringify(values)).toString('base64url')

/** Returns the values in a cursor, one for each pattern. Undefined for a text that is not such a cursor. */
export function decodeCursor<Patterns extends readonly RegExp[]>(
  cursor: string,
  ...patterns: Patterns
): { [Place in keyof Patterns]: string } | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const fits = Array.isArray(values) && values.length === patterns.length
    if (fits && values.every((value, place) => typeof value === 'string' && patterns[place]?.test(value)))
      return values as unknown as { [Place in keyof Patterns]: string }
  } catch {
    // Not JSON.
  }
  return undefined
}

/** Turns up to `limit + 1` rows into a page of `limit` rows and the cursor of the next page (null on the last page). */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
): { rows: Row[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { rows: shown, nextCursor: last === undefined ? null : cursorOf(last) }
}

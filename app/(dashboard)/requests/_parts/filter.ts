import type { RequestFilter, requestFilter } from '#server/modules/analytics/schema'

/** Parses the filter of an address; drops invalid parts. */
export function filterFrom(asked: Record<string, string | string[] | undefined>, schema: typeof requestFilter): RequestFilter {
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, field.safeParse(asked[name] || undefined).data])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** Returns the filter as a query string: empty without a filter. */
export function searchOf(filter: RequestFilter): string {
  const given = Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}

import type { RequestFilter, requestFilter } from '#server/modules/analytics/schema'

/** The filter that an address names; what of it cannot be is left out. */
export function filterFrom(asked: Record<string, string | string[] | undefined>, schema: typeof requestFilter): RequestFilter {
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, field.safeParse(asked[name] || undefined).data])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** The same as an address names it: empty when nothing is asked for. */
export function searchOf(filter: RequestFilter): string {
  const given = Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}

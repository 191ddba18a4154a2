import { MIN_SEARCH } from '#server/modules/analytics/limits'

/** Returns the text to search the request log for; undefined while it is too short. */
export function searchFrom(typed: string | undefined): string | undefined {
  const text = typed?.trim() ?? ''
  return text.length < MIN_SEARCH ? undefined : text
}

/** Says why a text that is too short is not searched for; for the description of the field, which is under it. */
export function searchHint(typed: string | undefined) {
  if (!typed?.trim() || searchFrom(typed) !== undefined) return undefined
  return <span role="status">Enter at least {MIN_SEARCH} characters.</span>
}

import { Text } from '@mantine/core'
import { MIN_SEARCH } from '#server/modules/analytics/limits'

/** Returns the text to search the request log for; undefined while it is too short. */
export function searchFrom(typed: string | undefined): string | undefined {
  const text = typed?.trim() ?? ''
  return text.length < MIN_SEARCH ? undefined : text
}

/** Returns whether there is a text that is too short. */
export const isTooShort = (typed: string | undefined) => Boolean(typed?.trim()) && searchFrom(typed) === undefined

/** Says under the field why a text that is too short is not searched for. */
export function SearchHint({ typed, id }: { typed: string | undefined; id: string }) {
  if (!isTooShort(typed)) return null
  return (
    <Text id={id} size="xs" c="dimmed" mt={4} role="status">
      Enter at least {MIN_SEARCH} characters.
    </Text>
  )
}

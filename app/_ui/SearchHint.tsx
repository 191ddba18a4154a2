import { Text } from '@mantine/core'
import { MIN_SEARCH } from '#server/modules/analytics/limits'

/** Returns the text to search the request log for; undefined while it is too short. */
export function searchFrom(typed: string | undefined): string | undefined {
  const text = typed?.trim() ?? ''
  return text.length < MIN_SEARCH ? undefined : text
}

/** Says why a text that is too short is not searched for. */
export function SearchHint({ typed }: { typed: string | undefined }) {
  if (!typed?.trim() || searchFrom(typed) !== undefined) return null
  return (
    <Text size="sm" c="dimmed" mb="sm" role="status">
      Type at least {MIN_SEARCH} characters to search.
    </Text>
  )
}

import { Button, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  /** An infinite query of TanStack Query. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  /** How much of the list is loaded. */
  children?: ReactNode
}

/** Renders the button that fetches the next page of a list; nothing if there is none. */
export function ShowMore({ query, children }: Props) {
  if (!query.hasNextPage) return null
  return (
    <Stack align="center" gap={6}>
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </Button>
      {children && (
        <Text size="xs" c="dimmed" mih={18}>
          {children}
        </Text>
      )}
    </Stack>
  )
}

import { Button, Center } from '@mantine/core'

interface Props {
  /** An infinite query of TanStack Query. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** Renders the button that fetches the next page of a list; nothing if there is none. */
export function ShowMore({ query }: Props) {
  if (!query.hasNextPage) return null
  return (
    <Center>
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </Button>
    </Center>
  )
}

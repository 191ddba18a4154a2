import { Button, Center } from '@mantine/core'

interface Props {
  /** An infinite query, as TanStack Query gives it. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** The end of a list that has more: a button that fetches the next page. Nothing where there is none. */
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

import { Skeleton, Stack } from '@mantine/core'

/** Loading state of an account's page; the header and the navigation stay. */
export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <Skeleton height={96} />
      <Skeleton height={320} />
    </Stack>
  )
}

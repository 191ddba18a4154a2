import { Skeleton, Stack } from '@mantine/core'

/** A part of an account; its head and the way to other parts stay. */
export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <Skeleton height={96} />
      <Skeleton height={320} />
    </Stack>
  )
}

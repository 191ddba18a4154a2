import { Skeleton, Stack } from '@mantine/core'

export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <Skeleton height={20} width={90} />
      <Skeleton height={620} maw={820} />
    </Stack>
  )
}

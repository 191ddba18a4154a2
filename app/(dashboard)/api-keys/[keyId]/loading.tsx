import { Skeleton, Stack } from '@mantine/core'

export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={16} width={70} mb={8} />
        <Skeleton height={28} width={220} />
      </div>
      <Skeleton height={96} />
      <Skeleton height={320} />
    </Stack>
  )
}

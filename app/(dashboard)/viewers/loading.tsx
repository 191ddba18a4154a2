import { Skeleton, Stack } from '@mantine/core'

export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={110} />
        <Skeleton height={16} width="min(420px, 80%)" mt={10} />
      </div>
      <Skeleton height={30} />
      <Skeleton height={84} />
      <Skeleton height={340} />
      <Skeleton height={260} />
    </Stack>
  )
}

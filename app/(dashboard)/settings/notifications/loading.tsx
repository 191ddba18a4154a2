import { Skeleton, Stack } from '@mantine/core'

export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={110} />
        <Skeleton height={16} width="min(340px, 80%)" mt={10} />
      </div>
      <Skeleton height={38} width={260} />
      <Skeleton height={320} />
    </Stack>
  )
}

import { Skeleton, Stack } from '@mantine/core'

export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={110} />
        <Skeleton height={16} width="min(420px, 80%)" mt={10} />
      </div>
      <Skeleton height={34} />
      <Skeleton height={66} />
      <Skeleton height={290} />
      <Skeleton height={230} />
    </Stack>
  )
}

import { Skeleton, Stack } from '@mantine/core'

export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={130} />
        <Skeleton height={16} width="min(420px, 80%)" mt={10} />
      </div>
      <Skeleton height={36} />
      <Stack gap={6}>
        {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((row) => (
          <Skeleton key={row} height={40} />
        ))}
      </Stack>
    </Stack>
  )
}

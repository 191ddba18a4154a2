import { Skeleton, Stack } from '@mantine/core'

export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={130} />
        <Skeleton height={16} width="min(420px, 80%)" mt={10} />
      </div>
      <Stack gap={8}>
        {['a', 'b', 'c', 'd', 'e'].map((row) => (
          <Skeleton key={row} height={52} />
        ))}
      </Stack>
    </Stack>
  )
}

import { Skeleton, Stack } from '@mantine/core'

export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={90} />
        <Skeleton height={16} width="min(380px, 80%)" mt={10} />
      </div>
      <Skeleton height={20} width={170} />
      <Stack gap={8}>
        {['a', 'b', 'c'].map((row) => (
          <Skeleton key={row} height={52} />
        ))}
      </Stack>
    </Stack>
  )
}

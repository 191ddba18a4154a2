import { SimpleGrid, Skeleton, Stack } from '@mantine/core'

export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={110} />
        <Skeleton height={16} width="min(420px, 80%)" mt={10} />
      </div>
      <Skeleton height={38} width="min(420px, 100%)" />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        {['balance', 'month', 'lasts', 'tier'].map((name) => (
          <Skeleton key={name} height={98} />
        ))}
      </SimpleGrid>
      <Skeleton height={320} />
      <Skeleton height={240} />
    </Stack>
  )
}

import { SimpleGrid, Skeleton, Stack } from '@mantine/core'

export default function Loading() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={130} />
        <Skeleton height={16} width="min(420px, 80%)" mt={10} />
      </div>
      <Skeleton height={376} />
      <SimpleGrid cols={{ base: 2, md: 5 }} spacing="md">
        {['a', 'b', 'c', 'd', 'e'].map((figure) => (
          <Skeleton key={figure} height={92} />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Skeleton height={200} />
        <Skeleton height={200} />
      </SimpleGrid>
    </Stack>
  )
}

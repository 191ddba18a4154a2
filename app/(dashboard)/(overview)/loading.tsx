import { SimpleGrid, Skeleton } from '@mantine/core'
import { PageSkeleton } from '../../_ui/page/PageSkeleton'

export default function Loading() {
  return (
    <PageSkeleton title={130}>
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
    </PageSkeleton>
  )
}

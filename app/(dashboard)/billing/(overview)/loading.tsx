import { SimpleGrid, Skeleton } from '@mantine/core'
import { PageSkeleton } from '../../../_ui/page/PageSkeleton'

export default function Loading() {
  return (
    <PageSkeleton title={110}>
      <Skeleton height={38} width="min(420px, 100%)" />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        {['balance', 'month', 'lasts', 'tier'].map((name) => (
          <Skeleton key={name} height={98} />
        ))}
      </SimpleGrid>
      <Skeleton height={320} />
      <Skeleton height={240} />
    </PageSkeleton>
  )
}

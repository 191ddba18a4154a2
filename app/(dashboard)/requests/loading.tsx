import { Skeleton, Stack } from '@mantine/core'
import { PageSkeleton } from '../../_ui/page/PageSkeleton'

export default function Loading() {
  return (
    <PageSkeleton title={130}>
      <Skeleton height={36} />
      <Stack gap={6}>
        {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((row) => (
          <Skeleton key={row} height={40} />
        ))}
      </Stack>
    </PageSkeleton>
  )
}

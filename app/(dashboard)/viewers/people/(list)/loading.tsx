import { Skeleton, Stack } from '@mantine/core'
import { PageSkeleton } from '../../../../_ui/page/PageSkeleton'

export default function Loading() {
  return (
    <PageSkeleton title={110} text={520}>
      <Skeleton height={36} width={180} />
      <Skeleton height={36} width={420} />
      <Stack gap={6}>
        {['a', 'b', 'c', 'd', 'e', 'f'].map((row) => (
          <Skeleton key={row} height={44} />
        ))}
      </Stack>
    </PageSkeleton>
  )
}

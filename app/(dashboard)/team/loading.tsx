import { Skeleton, Stack } from '@mantine/core'
import { PageSkeleton } from '../../_ui/page/PageSkeleton'

export default function Loading() {
  return (
    <PageSkeleton title={90} text={380}>
      <Skeleton height={20} width={170} />
      <Stack gap={8}>
        {['a', 'b', 'c'].map((row) => (
          <Skeleton key={row} height={52} />
        ))}
      </Stack>
    </PageSkeleton>
  )
}

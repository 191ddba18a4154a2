import { Skeleton } from '@mantine/core'
import { PageSkeleton } from '../../_ui/page/PageSkeleton'

export default function Loading() {
  return (
    <PageSkeleton title={110} text={340}>
      <Skeleton height={260} maw={680} />
    </PageSkeleton>
  )
}

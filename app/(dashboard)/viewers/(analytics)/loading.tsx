import { Skeleton } from '@mantine/core'
import { PageSkeleton } from '../../../_ui/page/PageSkeleton'

export default function Loading() {
  return (
    <PageSkeleton title={110}>
      <Skeleton height={30} />
      <Skeleton height={84} />
      <Skeleton height={340} />
      <Skeleton height={260} />
    </PageSkeleton>
  )
}

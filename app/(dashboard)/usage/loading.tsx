import { Skeleton } from '@mantine/core'
import { PageSkeleton } from '../../_ui/page/PageSkeleton'

export default function Loading() {
  return (
    <PageSkeleton title={110}>
      <Skeleton height={34} />
      <Skeleton height={66} />
      <Skeleton height={290} />
      <Skeleton height={230} />
    </PageSkeleton>
  )
}

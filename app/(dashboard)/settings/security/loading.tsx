import { Skeleton } from '@mantine/core'
import { PageSkeleton } from '../../../_ui/page/PageSkeleton'

export default function Loading() {
  return (
    <PageSkeleton title={110} text={340}>
      <Skeleton height={38} width={180} />
      <Skeleton height={250} maw={680} />
      <Skeleton height={130} maw={680} />
      <Skeleton height={200} maw={680} />
    </PageSkeleton>
  )
}

import { PageSkeleton } from '../../../_ui/page/PageSkeleton'

export default function Loading() {
  return <PageSkeleton title={130} />
}

import { PageSkeleton } from '../../../_ui/PageSkeleton'

export default function Loading() {
  return <PageSkeleton title={130} />
}

import { TabSkeleton } from '../../../_ui/page/PageSkeleton'

export default function Loading() {
  return <TabSkeleton title={110} />
}

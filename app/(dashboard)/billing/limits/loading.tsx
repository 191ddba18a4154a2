import { TabSkeleton } from '../../../_ui/PageSkeleton'

export default function Loading() {
  return <TabSkeleton title={110} />
}

import { TableSkeleton } from '../_parts/TableSkeleton'

export default function Loading() {
  return <TableSkeleton rows={4} />
}

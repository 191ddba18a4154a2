import type { BulkState } from '#server/modules/dashboard/library/read-bulk'
import { formatCount } from '../../../../_ui/format'

const VERBS: Record<BulkState['kind'], [running: string, ended: string]> = {
  add: ['Adding', 'Added'],
  take: ['Removing', 'Removed'],
  move: ['Moving', 'Moved'],
  delete: ['Deleting', 'Deleted'],
  restore: ['Restoring', 'Restored'],
  retry: ['Retrying', 'Retried'],
}

/** Returns what a bulk action does, or did: `Deleting 1,200 of 30,000 videos…`, `Added 3 videos to “Physics”.` */
export function bulkSentence({ kind, collection, from, total, done, skipped, failed, finishedAt }: BulkState): string {
  const [running, ended] = VERBS[kind]
  const place = kind === 'take' ? ` from “${collection ?? from}”` : collection && kind !== 'delete' ? ` to “${collection}”` : ''
  const noun = (count: number) => (count === 1 ? 'video' : 'videos')
  if (finishedAt) return `${ended} ${formatCount(done)} ${noun(done)}${place}.`
  const at = done + skipped + failed
  return `${running} ${formatCount(at)} of ${formatCount(total)} ${noun(total)}${place}…`
}

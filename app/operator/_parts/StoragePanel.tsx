import type { StorageStatus } from '#server/modules/backoffice/operator/storage-status'
import { FactList } from '../../_parts/staff/FactList'
import { formatBytes, formatCount } from '../../_ui/format'
import { Panel } from '../../_ui/Panel'
import classes from './Status.module.css'

const VOLUMES: Record<string, string> = { database: 'Database', uploads: 'Uploads', media: 'Media', work: 'Transcoding' }

/** Shows what is stored where, and the free space on this server's machine. */
export function StoragePanel({ storage: { media, free, reserve, stored, faults, removals, move } }: { storage: StorageStatus }) {
  return (
    <Panel title="Storage">
      <FactList
        facts={[
          [
            media.kind === 'bucket' ? 'Bucket' : 'Media folder',
            <span key="name" className={classes.code}>
              {media.name}
            </span>,
          ],
          ['Originals', formatBytes(stored.originals)],
          ['Renditions', formatBytes(stored.renditions)],
          ['Unfinished uploads', formatBytes(stored.unfinished)],
          ['Damaged objects', formatCount(faults), faults > 0],
          ['Pending removals', formatCount(removals)],
          ['Media move', move],
        ]}
      />
      <h3 className={classes.subtitle}>Free space on this machine ({formatBytes(reserve)} reserved)</h3>
      <FactList facts={free.map(({ volume, bytes }) => [VOLUMES[volume] ?? volume, formatBytes(bytes), bytes < reserve])} />
    </Panel>
  )
}

import type { StorageStatus } from '#server/modules/backoffice/operator/storage-status'
import { formatBytes, formatCount } from '../../_ui/format'
import { Panel } from '../../_ui/Panel'
import { FactList } from './FactList'
import classes from './Status.module.css'

const VOLUMES: Record<string, string> = { database: 'Database', uploads: 'Uploads', media: 'Media', work: 'Transcoding' }

/** Shows what is stored where, and the free space of the machine that was asked. */
export function StoragePanel({ storage: { media, free, reserve, stored, faults, removals, move } }: { storage: StorageStatus }) {
  return (
    <Panel title="Storage">
      <FactList
        facts={[
          { title: media.kind === 'bucket' ? 'Bucket' : 'Media folder', value: <span className={classes.code}>{media.name}</span> },
          { title: 'Originals', value: formatBytes(stored.originals) },
          { title: 'Renditions', value: formatBytes(stored.renditions) },
          { title: 'Unfinished uploads', value: formatBytes(stored.unfinished) },
          { title: 'Damaged objects', value: formatCount(faults), isBad: faults > 0 },
          { title: 'Removals pending', value: formatCount(removals) },
          ...(move ? [{ title: 'Move of the media', value: move }] : []),
        ]}
      />
      <h3 className={classes.subtitle}>Free space on this machine, reserve {formatBytes(reserve)}</h3>
      <FactList
        facts={free.map(({ volume, bytes }) => ({ title: VOLUMES[volume] ?? volume, value: formatBytes(bytes), isBad: bytes < reserve }))}
      />
    </Panel>
  )
}

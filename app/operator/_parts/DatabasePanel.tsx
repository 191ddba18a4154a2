import { Anchor } from '@mantine/core'
import type { InstallationStatus } from '#server/modules/backoffice/operator/installation-status'
import { formatBytes, formatCount, formatWait } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { RelativeTime } from '../../_ui/RelativeTime'
import { FactList } from './FactList'
import classes from './Status.module.css'

interface Props {
  database: InstallationStatus['database']
  backups: InstallationStatus['backups']
}

const STATES: Record<string, string> = {
  running: 'running',
  failed: 'failed',
  made: 'not proven yet',
  proven: 'proven',
  faulty: 'not proven',
}

/** Shows the database, its replicas, and its backups with their last proof. */
export function DatabasePanel({ database, backups: { isScheduled, isOverdue, last, lastProven } }: Props) {
  const { isEmbedded, version, size, connections, maxConnections, oldestTransaction, standbys, replicaBehind, migrations } = database
  return (
    <Panel
      title="Database and backups"
      action={
        <Anchor component={Link} href="/support/backups" fz="sm">
          Backups
        </Anchor>
      }
    >
      <FactList
        facts={[
          { title: 'PostgreSQL', value: `${version}${isEmbedded ? ', embedded' : ''}` },
          { title: 'Size', value: formatBytes(size) },
          { title: 'Connections', value: `${formatCount(connections)} of ${formatCount(maxConnections)}` },
          { title: 'Oldest transaction', value: oldestTransaction === null ? 'None' : formatWait(oldestTransaction) },
          {
            title: 'Migrations',
            value: migrations.missing.length === 0 ? `${migrations.applied} applied` : `Missing: ${migrations.missing.join(', ')}`,
            isBad: migrations.missing.length > 0,
          },
          ...standbys.map(({ name, state, lag }) => ({
            title: `Standby ${name}`,
            value: [state, lag !== null && `${Math.round(lag)} s behind`].filter(Boolean).join(', ') || 'connected',
          })),
          ...(replicaBehind === undefined
            ? []
            : [{ title: 'Read replica', value: replicaBehind === null ? 'No response' : `${Math.round(replicaBehind)} s behind` }]),
        ]}
      />
      <h3 className={classes.subtitle}>Backups</h3>
      <FactList
        facts={[
          { title: 'Schedule', value: isScheduled ? 'On' : 'Off: BACKUP_URL is not set' },
          {
            title: 'Last backup',
            value: last ? (
              <>
                <RelativeTime date={last.startedAt} />, {last.failure ?? STATES[last.state] ?? last.state}
              </>
            ) : (
              'None'
            ),
          },
          { title: 'Last proof', value: lastProven ? <RelativeTime date={lastProven} /> : 'None', isBad: isOverdue },
        ]}
      />
    </Panel>
  )
}

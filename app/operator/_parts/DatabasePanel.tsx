import { Anchor } from '@mantine/core'
import { Fragment } from 'react'
import type { InstallationStatus } from '#server/modules/backoffice/operator/installation-status'
import { type Fact, FactList } from '../../_parts/staff/FactList'
import { formatBytes, formatCount, formatWait } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { RelativeTime } from '../../_ui/RelativeTime'
import classes from './Status.module.css'

interface Props {
  database: InstallationStatus['database']
  backups: InstallationStatus['backups']
}

const STATES: Record<string, string> = {
  running: 'running',
  failed: 'failed',
  made: 'not verified yet',
  proven: 'verified',
  faulty: 'verification failed',
}

/** Shows the database, its replicas and its backups. */
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
          ['PostgreSQL', `${version}${isEmbedded ? ', embedded' : ''}`],
          ['Size', formatBytes(size)],
          ['Connections', `${formatCount(connections)} of ${formatCount(maxConnections)}`],
          ['Oldest transaction', oldestTransaction === null ? 'None' : formatWait(oldestTransaction)],
          [
            'Migrations',
            migrations.missing.length === 0 ? `${migrations.applied} applied` : `Missing: ${migrations.missing.join(', ')}`,
            migrations.missing.length > 0,
          ],
          ...standbys.map(
            ({ name, state, lag }): Fact => [
              `Standby ${name}`,
              [state, lag !== null && `${Math.round(lag)} s behind`].filter(Boolean).join(', ') || 'connected',
            ],
          ),
          [
            'Read replica',
            replicaBehind === undefined ? null : replicaBehind === null ? 'No response' : `${Math.round(replicaBehind)} s behind`,
          ],
        ]}
      />
      <h3 className={classes.subtitle}>Backups</h3>
      <FactList
        facts={[
          ['Schedule', isScheduled ? 'On' : 'Off: BACKUP_URL is not set'],
          [
            'Last backup',
            last ? (
              <Fragment key="last">
                <RelativeTime date={last.startedAt} />, {last.failure ?? STATES[last.state] ?? last.state}
              </Fragment>
            ) : (
              'None'
            ),
          ],
          ['Last verified', lastProven ? <RelativeTime key="at" date={lastProven} /> : 'None', isOverdue],
        ]}
      />
    </Panel>
  )
}

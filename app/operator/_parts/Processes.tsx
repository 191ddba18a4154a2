import type { ProcessStatus } from '#server/modules/backoffice/operator/process-status'
import { RelativeTime } from '../../_ui/RelativeTime'
import { StatusBadge } from '../../_ui/StatusBadge'
import { type Column, Table } from '../../_ui/Table'
import classes from './Status.module.css'

const COLUMNS: Column<ProcessStatus>[] = [
  {
    title: 'Process',
    phone: 'wide',
    cell: ({ host, pid, fault }) => (
      <div className={classes.host}>
        <b>{host}</b>
        <span className={classes.quiet}>{fault ?? `Process ${pid}`}</span>
      </div>
    ),
  },
  {
    title: 'State',
    phone: 'end',
    cell: ({ isSilent, fault }) => (
      <StatusBadge tone={isSilent ? 'bad' : fault ? 'warn' : 'good'}>
        {isSilent ? 'No heartbeat' : fault ? 'Paused' : 'Running'}
      </StatusBadge>
    ),
  },
  { title: 'Roles', cell: ({ roles }) => roles.join(', ') },
  { title: 'Version', cell: ({ version }) => <span className={classes.code}>{version}</span> },
  { title: 'Started', cell: ({ startedAt }) => <RelativeTime date={startedAt} /> },
  { title: 'Heartbeat', cell: ({ heartbeatAt }) => <RelativeTime date={heartbeatAt} /> },
]

/** Lists the installation's processes. */
export function Processes({ processes }: { processes: ProcessStatus[] }) {
  return <Table label="Processes" columns={COLUMNS} rows={processes} keyOf={({ id }) => id} />
}

import { actionDescription } from '#server/audit-actions'
import type { SupportAccount } from '#server/modules/backoffice/support/account'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { type Column, Table } from '../../../../_ui/Table'
import classes from '../../../_parts/Lists.module.css'

type Measure = SupportAccount['measures'][number]
const capitalizedDescription = (action: string) => actionDescription(action).replace(/^./, (letter) => letter.toUpperCase())

const COLUMNS: Column<Measure>[] = [
  { title: 'Time', cell: ({ at }) => <RelativeTime date={at} /> },
  { title: 'Action', phone: 'wide', cell: ({ action }) => capitalizedDescription(action) },
  { title: 'Subject', phone: 'wide', cell: ({ subject }) => subject },
  { title: 'Actor', phone: 'wide', cell: ({ by }) => by ?? 'Operator' },
  { title: 'Reason', phone: 'wide', cell: ({ reason }) => <div className={classes.reason}>{reason ?? '–'}</div> },
]

/** Lists what support and the operator did to an account, its members and its videos, newest first. */
export function Measures({ measures }: { measures: Measure[] }) {
  return <Table label="Suspensions and takedowns" columns={COLUMNS} rows={measures} keyOf={({ id }) => id} />
}

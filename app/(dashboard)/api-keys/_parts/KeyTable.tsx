'use client'

import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { formatCount } from '../../../_ui/format'
import { IdChip } from '../../../_ui/IdChip'
import { Link } from '../../../_ui/Link'
import { QuotaBar } from '../../../_ui/QuotaBar'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { type Column, Table } from '../../../_ui/Table'
import { EnvironmentTag, KeyStateBadge } from '../../_parts/keys/KeyStateBadge'
import { stillWorking } from '../../_parts/keys/rotations'
import type { KeyDialog } from './KeyDialogs'
import { KeyMenu } from './KeyMenu'
import classes from './KeyTable.module.css'

const refusedNow = (key: ListedKey) =>
  (key.state === 'REVOKED' || key.state === 'EXPIRED' || key.state === 'DISABLED') && stillWorking(key).length === 0

const COLUMNS: Column<ListedKey>[] = [
  {
    title: 'Name',
    phone: 'wide',
    cell: ({ id, name, prefix, environment }) => (
      <span className={classes.name}>
        <Link href={`/api-keys/${id}`} className={`${classes.title} rg-row-link`}>
          {name}
        </Link>
        <span className={classes.chips}>
          <IdChip id={prefix} />
          <EnvironmentTag environment={environment} />
        </span>
      </span>
    ),
  },
  { title: 'State', cell: (key) => <State of={key} /> },
  {
    title: 'Scopes',
    cell: ({ scopes }) => (
      <span className={classes.scopes}>
        {scopes.map((scope) => (
          <code key={scope} className={classes.scope}>
            {scope}
          </code>
        ))}
      </span>
    ),
  },
  {
    title: 'Quota used today',
    phone: 'wide',
    width: 170,
    cell: (key) =>
      refusedNow(key) ? '–' : <QuotaBar used={key.today.counted} limit={key.dailyQuota} of={key.name} exhaustedAt={key.exhaustedAt} />,
  },
  { title: 'Requests today', number: true, cell: ({ today }) => formatCount(today.requests) },
  { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime date={lastUsedAt} /> : 'Never') },
]

interface Props {
  keys: ListedKey[]
  /** Undefined for users who may only read. */
  onAsk: ((to: KeyDialog, key: ListedKey) => void) | undefined
}

export function KeyTable({ keys, onAsk }: Props) {
  const actions: Column<ListedKey>[] = onAsk
    ? [{ title: 'Actions', phone: 'corner', width: 48, cell: (key) => <KeyMenu subject={key} onAsk={onAsk} /> }]
    : []
  return (
    <div className={classes.table}>
      <Table label="API keys" columns={[...COLUMNS, ...actions]} rows={keys} keyOf={({ id }) => id} muted={refusedNow} />
    </div>
  )
}

/** Shows a key's state, when it ends, and whether a key that it replaced still works. */
function State({ of: key }: { of: ListedKey }) {
  const { state, revokedAt, expiresAt } = key
  const [previous] = stillWorking(key)
  const end = state === 'ROTATING_OUT' ? revokedAt : state === 'ACTIVE' || state === 'DISABLED' ? expiresAt : null
  return (
    <span className={classes.state}>
      <KeyStateBadge state={state} />
      {end && (
        <span className={classes.end}>
          expires <RelativeTime date={end} />
        </span>
      )}
      {previous?.revokedAt && (
        <span className={classes.end}>
          rotated, previous until <RelativeTime date={previous.revokedAt} />
        </span>
      )}
    </span>
  )
}

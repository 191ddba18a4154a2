'use client'

import { Button } from '@mantine/core'
import type { ListedKey } from '#server/key/list'
import { formatCount } from '../../../_ui/format'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { StatusBadge } from '../../../_ui/StatusBadge'
import { type Column, Table } from '../../../_ui/Table'
import classes from './KeyTable.module.css'

const isRevoked = ({ revokedAt }: ListedKey) => revokedAt !== null

export function KeyTable({ keys, onRevoke }: { keys: ListedKey[]; onRevoke: (key: ListedKey) => void }) {
  const columns: Column<ListedKey>[] = [
    {
      title: 'Name',
      phone: 'wide',
      cell: (key) => (
        <span className={classes.name}>
          {key.name}
          <StatusBadge tone={isRevoked(key) ? 'neutral' : key.environment === 'LIVE' ? 'good' : 'warn'}>
            {isRevoked(key) ? 'Revoked' : key.environment === 'LIVE' ? 'Live' : 'Test'}
          </StatusBadge>
        </span>
      ),
    },
    { title: 'Key', phone: 'wide', cell: ({ prefix }) => <code className={classes.prefix}>{prefix}…</code> },
    {
      title: 'Scopes',
      cell: ({ scopes }) =>
        scopes.map((scope) => (
          <code key={scope} className={classes.scope}>
            {scope}
          </code>
        )),
    },
    { title: 'Created', cell: ({ createdAt }) => <RelativeTime date={createdAt} /> },
    { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime date={lastUsedAt} /> : 'Never') },
    { title: 'Requests', number: true, cell: ({ requestCount }) => formatCount(requestCount) },
    {
      title: 'Actions',
      phone: 'corner',
      width: 96,
      cell: (key) =>
        !isRevoked(key) && (
          <Button
            size="compact-sm"
            variant="default"
            c="var(--mantine-color-error)"
            aria-label={`Revoke ${key.name}`}
            onClick={() => onRevoke(key)}
          >
            Revoke
          </Button>
        ),
    },
  ]
  return <Table label="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} muted={isRevoked} />
}

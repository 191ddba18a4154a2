'use client'

import { Button, Group } from '@mantine/core'
import type { ListedKey } from '#server/key/list'
import { formatCount } from '../../../_ui/format'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { StatusBadge } from '../../../_ui/StatusBadge'
import { type Column, Table } from '../../../_ui/Table'
import classes from './KeyTable.module.css'

/** A key that is being rotated out has its end ahead of it. */
const isEnding = ({ revokedAt }: ListedKey) => revokedAt !== null && revokedAt.getTime() > Date.now()
const isRevoked = (key: ListedKey) => key.revokedAt !== null && !isEnding(key)

interface Actions {
  onRotate: (key: ListedKey) => void
  onRevoke: (key: ListedKey) => void
}

export function KeyTable({ keys, onRotate, onRevoke }: Actions & { keys: ListedKey[] }) {
  const columns: Column<ListedKey>[] = [
    {
      title: 'Name',
      phone: 'wide',
      cell: (key) => (
        <span className={classes.name}>
          {key.name}
          <State of={key} />
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
      width: 172,
      cell: (key) =>
        !isRevoked(key) && (
          <Group gap={6} justify="flex-end" wrap="nowrap">
            {!isEnding(key) && (
              <Button size="compact-sm" variant="default" aria-label={`Rotate ${key.name}`} onClick={() => onRotate(key)}>
                Rotate
              </Button>
            )}
            <Button
              size="compact-sm"
              variant="default"
              c="var(--mantine-color-error)"
              aria-label={`Revoke ${key.name}`}
              onClick={() => onRevoke(key)}
            >
              Revoke
            </Button>
          </Group>
        ),
    },
  ]
  return <Table label="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} muted={isRevoked} />
}

function State({ of: key }: { of: ListedKey }) {
  if (isRevoked(key)) return <StatusBadge tone="neutral">Revoked</StatusBadge>
  if (key.revokedAt) {
    return (
      <StatusBadge tone="warn">
        Ends&nbsp;
        <RelativeTime date={key.revokedAt} />
      </StatusBadge>
    )
  }
  return key.environment === 'LIVE' ? <StatusBadge tone="good">Live</StatusBadge> : <StatusBadge tone="warn">Test</StatusBadge>
}

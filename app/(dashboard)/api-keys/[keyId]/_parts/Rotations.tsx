'use client'

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedKey, Rotation } from '#server/modules/dashboard/list-keys'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount } from '../../../../_ui/format'
import { IdChip } from '../../../../_ui/IdChip'
import { Link } from '../../../../_ui/Link'
import { Panel } from '../../../../_ui/Panel'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { type Column, Table } from '../../../../_ui/Table'
import { useDialog } from '../../../../_ui/use-dialog'
import { ConfirmDialog } from '../../../_parts/ConfirmDialog'
import { KeyStateBadge } from '../../../_parts/keys/KeyStateBadge'
import { LastHour } from '../../../_parts/keys/LastHour'
import classes from './Rotations.module.css'

/** Lists the keys that replaced each other; one whose overlap runs can be ended at once. Nothing for a key that was never rotated. */
export function Rotations({ subject: { id: here, rotations }, mayChange }: { subject: ListedKey; mayChange: boolean }) {
  const [ending, end] = useDialog<Rotation>()
  if (rotations.length === 0) return null
  const [current] = rotations
  const columns: Column<Rotation>[] = [
    {
      title: 'Key',
      phone: 'wide',
      cell: ({ id, prefix }) => (
        <span className={classes.key}>
          <IdChip id={prefix} />
          {id === current?.id && <span className={classes.current}>Current</span>}
          {id !== here && (
            <Link href={`/api-keys/${id}`} className={classes.link} aria-label={`Details of ${prefix}`}>
              Details
            </Link>
          )}
        </span>
      ),
    },
    { title: 'State', cell: ({ state }) => <KeyStateBadge state={state} /> },
    { title: 'Created', cell: ({ createdAt }) => <RelativeTime date={createdAt} /> },
    { title: 'Ends', cell: ({ revokedAt }) => (revokedAt ? <RelativeTime date={revokedAt} /> : '–') },
    { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime date={lastUsedAt} /> : 'Never') },
    { title: 'Requests', number: true, cell: ({ requestCount }) => formatCount(requestCount) },
  ]
  if (mayChange && rotations.some(({ state }) => state === 'ROTATING_OUT'))
    columns.push({
      title: 'Actions',
      phone: 'corner',
      width: 130,
      cell: (key) =>
        key.state === 'ROTATING_OUT' && (
          <Button size="compact-sm" variant="default" aria-label={`End overlap of ${key.prefix}`} onClick={() => end(key)}>
            End overlap
          </Button>
        ),
    })
  return (
    <Panel title="Rotations" flush>
      <Table bare label="Rotations" columns={columns} rows={rotations} keyOf={({ id }) => id} muted={({ state }) => state === 'REVOKED'} />
      {ending && <EndOverlap key={ending.times} subject={ending.subject} {...ending.props} />}
    </Panel>
  )
}

/** Confirms that a replaced key stops before its overlap ends. */
function EndOverlap({ subject: { id: keyId, prefix }, opened, onClose }: { subject: Rotation; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const revoke = useMutation(
    trpc.key.revoke.mutationOptions({
      async onSuccess() {
        await client.invalidateQueries(trpc.key.pathFilter())
        onClose()
      },
    }),
  )
  return (
    <ConfirmDialog
      title="End overlap?"
      action="End overlap"
      opened={opened}
      onClose={onClose}
      busy={revoke.isPending}
      problem={revoke.error?.message}
      onConfirm={() => revoke.mutate({ keyId })}
    >
      <LastHour keyId={keyId} opened={opened} />
      <span>
        Requests with the replaced key <code>{prefix}…</code> fail immediately. The current key keeps working. You cannot undo this.
      </span>
    </ConfirmDialog>
  )
}

'use client'

import { Stack } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ListedOperatorEntry } from '#server/modules/audit/operator-log'
import { operatorActionDescription } from '#server/operator-actions'
import { Diff } from '../../../_parts/audit/Diff'
import { useTRPC } from '../../../_trpc/client'
import { IdChip } from '../../../_ui/IdChip'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { ShowMore } from '../../../_ui/ShowMore'
import { type Column, Table } from '../../../_ui/Table'
import classes from '../../_parts/Status.module.css'

const COLUMNS: Column<ListedOperatorEntry>[] = [
  {
    title: 'Change',
    phone: 'wide',
    cell: ({ by, action, subject }) => (
      <div className={classes.host}>
        <span>
          <b>{by ?? 'Command line'}</b> {operatorActionDescription(action)}
        </span>
        <IdChip id={subject} />
      </div>
    ),
  },
  { title: 'Details', phone: 'wide', width: '46%', cell: ({ before, after }) => <Diff before={before} after={after} /> },
  { title: 'Time', width: 140, cell: ({ at }) => <RelativeTime date={at} exact /> },
]

/** Lists what operators changed, in the console and on the command line, and who wrote notes on accounts. */
export function OperatorLog() {
  const trpc = useTRPC()
  const log = useInfiniteQuery(
    trpc.operator.operatorLog.infiniteQueryOptions({}, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
  )
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <>
      <PageHeader
        title="Log"
        purpose="What operators changed, here and with npm run operator, and who wrote notes on accounts. No one can edit or delete entries."
      />
      <Stack gap="md">
        {entries.length > 0 ? (
          <Table label="Changes" columns={COLUMNS} rows={entries} keyOf={({ id }) => id} />
        ) : (
          <EmptyState framed icon={<IconHistory size={20} />} title="No changes yet">
            Changes to announcements, roles and notes appear here.
          </EmptyState>
        )}
        <ShowMore query={log} />
      </Stack>
    </>
  )
}

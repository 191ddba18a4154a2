'use client'

import { Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Watched } from '#server/modules/dashboard/people/people'
import type { TrpcError } from '../../../_trpc/client'
import { formatDuration } from '../../../_ui/format'
import { Panel } from '../../../_ui/Panel'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { ShowMore } from '../../../_ui/ShowMore'
import { type Column, Table } from '../../../_ui/Table'
import classes from './ProgressPanel.module.css'
import { Strip } from './Strip'

interface Props<Row extends Watched> {
  title: string
  /** An infinite query of TanStack Query. */
  query: Parameters<typeof ShowMore>[0]['query'] & { error: TrpcError | null; refetch: () => unknown }
  /** Of all loaded pages; undefined until the first one. */
  rows: Row[] | undefined
  keyOf: (row: Row) => string
  /** The column that says whose or which progress a row is. */
  first: Column<Row>
  /** Shown instead of an empty list. */
  children: ReactNode
}

/** Lists the viewers of a video, or the videos of a viewer, with the parts that were played. */
export function ProgressPanel<Row extends Watched>({ title, query, rows: loaded, keyOf, first, children }: Props<Row>) {
  if (query.error && !loaded)
    return <ErrorState message={query.error.message} requestId={query.error.data?.requestId} onRetry={() => void query.refetch()} />
  if (!loaded) return <Skeleton height={110} radius="lg" />
  // What was watched between the requests for two pages is on both.
  const rows = [...new Map(loaded.map((row) => [keyOf(row), row])).values()]
  return (
    <Panel title={title} flush={rows.length > 0}>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      ) : (
        <Table label={title} bare rows={rows} keyOf={keyOf} columns={[first, ...columns<Row>()]} />
      )}
      {query.hasNextPage && (
        <div className={classes.more}>
          <ShowMore query={query} />
        </div>
      )}
    </Panel>
  )
}

const columns = <Row extends Watched>(): Column<Row>[] => [
  { title: 'Watched', cell: (row) => <Strip progress={row} />, phone: 'bare', width: '34%' },
  {
    title: 'Position',
    cell: ({ positionSec, durationSec }) => (
      <span className={classes.position}>
        {formatDuration(positionSec)} <span>of {formatDuration(durationSec)}</span>
      </span>
    ),
  },
  { title: 'First watched', cell: ({ firstAt }) => <RelativeTime date={firstAt} /> },
  { title: 'Last watched', cell: ({ lastAt }) => <RelativeTime date={lastAt} /> },
  {
    title: 'Completed',
    cell: ({ completedAt }) => (completedAt ? <RelativeTime date={completedAt} /> : <span className={classes.none}>No</span>),
  },
]

'use client'

import { Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BulkProblem } from '#server/modules/dashboard/library/read-bulk'
import { useTRPC } from '../../../../_trpc/client'
import { Link } from '../../../../_ui/Link'
import { Notice } from '../../../../_ui/Notice'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import { type Column, Table } from '../../../../_ui/Table'

const COLUMNS: Column<BulkProblem>[] = [
  {
    title: 'Video',
    phone: 'wide',
    cell: ({ videoId, title }) => (title === null ? videoId : <Link href={`/videos/${videoId}`}>{title}</Link>),
  },
  {
    title: 'Result',
    cell: ({ state }) => (
      <StatusBadge tone={state === 'failed' ? 'bad' : 'neutral'}>{state === 'failed' ? 'Failed' : 'Skipped'}</StatusBadge>
    ),
  },
  { title: 'Reason', phone: 'wide', cell: ({ reason }) => <span style={{ whiteSpace: 'normal' }}>{reason}</span> },
]

/** Lists the videos that a bulk action did not change, with the reasons. */
export function BulkProblems({ actionId, opened, onClose }: { actionId: string; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const { data, error } = useQuery(trpc.library.problems.queryOptions({ actionId }, { enabled: opened }))
  return (
    <Modal opened={opened} onClose={onClose} title="Unchanged videos" size="xl">
      <Stack gap="sm">
        {error && <Notice tone="bad">{error.message}</Notice>}
        {!data && !error && <Skeleton height={140} />}
        {data && <Table label="Unchanged videos" columns={COLUMNS} rows={data} keyOf={({ videoId }) => videoId} />}
        {data && data.length >= 200 && (
          <Text size="sm" c="dimmed">
            Showing the first 200.
          </Text>
        )}
      </Stack>
    </Modal>
  )
}

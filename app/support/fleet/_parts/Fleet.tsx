'use client'

import { Stack, Title } from '@mantine/core'
import { IconServerOff } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { Fleet as Answer } from '#server/modules/transcoding/tasks/fleet'
import { useTRPC } from '../../../_trpc/client'
import { Figures } from '../../../_ui/Figures'
import { formatCount, formatSeconds } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { type Column, Table } from '../../../_ui/Table'
import lists from '../../_parts/Lists.module.css'
import { TierBadge } from '../../_parts/TierBadge'
import classes from './Fleet.module.css'
import { WORKER_COLUMNS } from './worker-columns'

const REFETCH_MS = 3_000

/** Shows the workers, what each one is doing, and the accounts with videos in the queue. */
export function Fleet() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.support.fleet.queryOptions(undefined, { refetchInterval: REFETCH_MS }))
  const { workers, queue, accounts } = data
  return (
    <>
      <PageHeader title="Workers" purpose="The processes that transcode videos, what each one is doing, and the queue." />
      <Stack gap="lg">
        <Figures figures={figuresOf(data)} />
        {workers.length === 0 ? (
          <EmptyState framed icon={<IconServerOff size={20} />} title="No worker is running">
            Videos wait until a process with the worker role starts.
          </EmptyState>
        ) : (
          <Table
            label="Workers"
            columns={WORKER_COLUMNS}
            rows={workers}
            keyOf={({ id }) => id}
            muted={({ process }) => !process || process.isSilent}
          />
        )}
        <section>
          <Title order={2} mb="xs">
            Queue by account
          </Title>
          {queue.length === 0 ? (
            <p className={classes.quiet}>The queue is empty.</p>
          ) : (
            <Table label="Queue by account" columns={QUEUE_COLUMNS} rows={queue} keyOf={({ accountId }) => accountId} />
          )}
          {accounts > queue.length && (
            <p className={classes.quiet}>
              Showing the {formatCount(queue.length)} of {formatCount(accounts)} accounts that have waited longest.
            </p>
          )}
        </section>
      </Stack>
    </>
  )
}

function figuresOf({ workers, analyzing, completedHourSec, wait }: Answer) {
  const able = workers.filter(({ process }) => process && !process.isSilent && process.fault === null).length
  const tasks = workers.reduce((sum, worker) => sum + worker.tasks.length, 0)
  const sample = (count: number) => `${formatCount(count)} ${count === 1 ? 'video' : 'videos'}`
  return [
    {
      title: 'Workers',
      value: able === workers.length ? formatCount(able) : `${formatCount(able)} of ${formatCount(workers.length)}`,
      note: `${formatCount(tasks + analyzing)} ${tasks + analyzing === 1 ? 'task' : 'tasks'} running`,
      alarming: able === 0,
    },
    {
      title: 'Throughput',
      value: `${(completedHourSec / 3_600).toFixed(2)}×`,
      note: 'seconds of video per second, last hour',
    },
    {
      title: 'Median wait',
      value: wait.p50 === null ? '–' : formatSeconds(wait.p50),
      note: `${sample(wait.videos)}, last 24 hours`,
    },
    { title: 'p95 wait', value: wait.p95 === null ? '–' : formatSeconds(wait.p95), note: 'last 24 hours' },
  ]
}

const QUEUE_COLUMNS: Column<Answer['queue'][number]>[] = [
  {
    title: 'Account',
    phone: 'wide',
    cell: ({ accountId, name }) => (
      <Link href={`/support/accounts/${accountId}/videos`} className={`${lists.link} rg-row-link`}>
        {name}
      </Link>
    ),
  },
  { title: 'Tier', phone: 'end', cell: ({ tier }) => <TierBadge tier={tier} /> },
  { title: 'Videos', number: true, cell: ({ videos }) => formatCount(videos) },
  { title: 'Tasks waiting', number: true, cell: ({ waitingTasks }) => formatCount(waitingTasks) },
  { title: 'Tasks running', number: true, cell: ({ runningTasks }) => formatCount(runningTasks) },
  { title: 'Waiting since', cell: ({ oldestAt }) => <RelativeTime date={oldestAt} /> },
]

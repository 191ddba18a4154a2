'use client'

import { Stack } from '@mantine/core'
import { IconDatabaseExport } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { ListedBackup } from '#server/modules/backoffice/support/backups'
import { DRILL_CHECKS } from '#server/modules/backups/state'
import { useTRPC } from '../../../_trpc/client'
import { Figures } from '../../../_ui/Figures'
import { formatAgo, formatBytes, formatCount, formatMinute } from '../../../_ui/format'
import { Notice } from '../../../_ui/Notice'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { StatusBadge } from '../../../_ui/StatusBadge'
import { type Column, Table } from '../../../_ui/Table'
import { useTimeZone } from '../../../_ui/time-zone'
import { BackupReceipt } from './BackupReceipt'

/** Lists the installation's backups and what their test restores found. */
export function Backups() {
  const trpc = useTRPC()
  const [zone] = useTimeZone()
  const { data } = useSuspenseQuery(trpc.support.backups.queryOptions(undefined, { refetchInterval: 30_000 }))
  const { backups, scheduled, lastProven, overdue } = data
  const measured = backups.find(({ rows }) => rows !== null)
  const drilled = backups.find(({ receiptId }) => receiptId !== null)
  return (
    <>
      <PageHeader
        title="Backups"
        purpose="We restore every backup into a temporary database and check it. A backup is verified once the full restore passes."
      />
      {backups.length === 0 ? (
        <EmptyState framed icon={<IconDatabaseExport size={20} />} title="No backups yet">
          {scheduled ? 'The first scheduled backup appears here.' : 'The operator schedules backups with BACKUP_URL.'}
        </EmptyState>
      ) : (
        <Stack gap="lg">
          <Figures
            figures={[
              {
                title: 'Last verified backup',
                value: lastProven ? formatAgo(lastProven, Date.now()) : 'None',
                note: lastProven ? formatMinute(lastProven, zone) : 'no backup is verified yet',
                alarming: overdue,
              },
              { title: 'Database rows', value: formatCount(measured?.rows ?? 0) },
              { title: 'Media objects', value: formatCount(measured?.objects ?? 0), note: formatBytes(measured?.mediaBytes ?? 0) },
            ]}
          />
          {drilled && drilled.faults.length > 0 && <Faults backup={drilled} />}
          <Table label="Backups" columns={COLUMNS} rows={backups} keyOf={({ id }) => id} muted={({ removed }) => removed} />
        </Stack>
      )}
    </>
  )
}

const Faults = ({ backup: { faults } }: { backup: ListedBackup }) => (
  <Notice tone="bad">
    The last test restore found problems:
    <ul>
      {faults.map(({ check, problem }) => (
        <li key={`${check} ${problem}`} style={{ overflowWrap: 'anywhere' }}>
          {DRILL_CHECKS[check]}: {problem}
        </li>
      ))}
    </ul>
  </Notice>
)

const STATES = {
  running: { tone: 'info', text: 'Running' },
  failed: { tone: 'bad', text: 'Failed' },
  made: { tone: 'warn', text: 'Not verified yet' },
  proven: { tone: 'good', text: 'Verified' },
  faulty: { tone: 'bad', text: 'Verification failed' },
} as const

const COLUMNS: Column<ListedBackup>[] = [
  { title: 'Started', phone: 'wide', cell: ({ startedAt }) => <RelativeTime date={startedAt} exact /> },
  {
    title: 'State',
    phone: 'end',
    cell: ({ state, failure }) => (
      <span title={failure ?? undefined}>
        <StatusBadge tone={STATES[state].tone} live={state === 'running'}>
          {STATES[state].text}
        </StatusBadge>
      </span>
    ),
  },
  { title: 'Rows', number: true, cell: ({ rows }) => (rows === null ? '–' : formatCount(rows)) },
  { title: 'Database', number: true, cell: ({ databaseBytes }) => (databaseBytes === null ? '–' : formatBytes(databaseBytes)) },
  { title: 'Media', number: true, cell: ({ mediaBytes }) => (mediaBytes === null ? '–' : formatBytes(mediaBytes)) },
  { title: 'Copied', number: true, cell: ({ copiedBytes }) => (copiedBytes === null ? '–' : formatBytes(copiedBytes)) },
  {
    title: 'Details',
    phone: 'wide',
    cell: ({ failure, segments, seconds, removed, id }) => (
      <span style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
        {failure ?? (segments === null ? id : `${formatCount(segments)} segments played in ${seconds} s`)}
        {removed && ', removed'}
      </span>
    ),
  },
  { title: 'Receipt', cell: ({ receiptId, id }) => (receiptId ? <BackupReceipt receiptId={receiptId} about={id} /> : '–') },
]

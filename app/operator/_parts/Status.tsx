'use client'

import { useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../../_trpc/client'
import { Figures } from '../../_ui/Figures'
import { formatAgo, formatBytes, formatCount, formatMinute } from '../../_ui/format'
import { PageHeader } from '../../_ui/page/PageHeader'
import { useTimeZone } from '../../_ui/time-zone'
import { Av1Panel } from './Av1Panel'
import { DatabasePanel } from './DatabasePanel'
import { LimitsPanel } from './LimitsPanel'
import { Processes } from './Processes'
import { QueuePanel } from './QueuePanel'
import { RenditionsPanel } from './RenditionsPanel'
import classes from './Status.module.css'
import { StoragePanel } from './StoragePanel'
import { TrendsPanel } from './TrendsPanel'
import { Warnings } from './Warnings'

const REFRESH_MS = 15_000

/** Shows the state of the installation, beginning with what needs attention. */
export function Status() {
  const trpc = useTRPC()
  const [zone] = useTimeZone()
  const { data } = useSuspenseQuery(trpc.operator.status.queryOptions(undefined, { refetchInterval: REFRESH_MS }))
  const { version, processes, queue, storage, database, backups } = data
  const running = processes.filter(({ isSilent }) => !isSilent)
  const workers = running.filter(({ roles }) => roles.includes('worker')).length
  return (
    <>
      <PageHeader title="Status" purpose={`Reelgate ${version}. Refreshes every 15 seconds.`} />
      <div className={classes.page}>
        <Warnings warnings={data.warnings} />
        <Figures
          figures={[
            {
              title: 'Processes',
              value: formatCount(running.length),
              note: workers === 1 ? '1 worker' : `${workers} workers`,
              alarming: workers === 0,
            },
            { title: 'Videos waiting', value: formatCount(queue.videos.due), note: `${formatCount(queue.videos.running)} in progress` },
            { title: 'Pending webhooks', value: formatCount(queue.webhooks.pending), note: 'deliveries' },
            {
              title: 'Stored media',
              value: formatBytes(storage.stored.originals + storage.stored.renditions),
              note: `${formatCount(storage.stored.videos)} videos`,
            },
            {
              title: 'Database',
              value: formatBytes(database.size),
              note: `${database.connections} of ${database.maxConnections} connections`,
            },
            {
              title: 'Last verified backup',
              value: backups.lastProven ? formatAgo(backups.lastProven, Date.now()) : 'None',
              note: backups.lastProven ? formatMinute(backups.lastProven, zone) : backups.isScheduled ? 'scheduled' : 'not scheduled',
              alarming: backups.isOverdue,
            },
          ]}
        />
        <TrendsPanel />
        <Processes processes={processes} />
        <div className={classes.columns}>
          <div className={classes.column}>
            <QueuePanel queue={queue} />
            <DatabasePanel database={database} backups={backups} />
            <Av1Panel encodings={data.encodings} delivered={data.delivered} />
          </div>
          <div className={classes.column}>
            <StoragePanel storage={storage} />
            <LimitsPanel limits={data.limits} signUp={data.signUp} />
          </div>
        </div>
        <RenditionsPanel />
      </div>
    </>
  )
}

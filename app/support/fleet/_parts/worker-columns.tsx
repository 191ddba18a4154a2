import type { FleetTask, FleetWorker } from '#server/modules/transcoding/tasks/fleet'
import { formatDuration } from '../../../_ui/format'
import { IdChip } from '../../../_ui/IdChip'
import { Link } from '../../../_ui/Link'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { StatusBadge } from '../../../_ui/StatusBadge'
import type { Column } from '../../../_ui/Table'
import classes from './Fleet.module.css'

export const WORKER_COLUMNS: Column<FleetWorker>[] = [
  {
    title: 'Worker',
    phone: 'wide',
    cell: ({ id, process }) => (
      <div className={classes.worker}>
        <b>{process?.host ?? 'Stopped process'}</b>
        {id ? <IdChip id={id} /> : <span className={classes.quiet}>unknown process</span>}
      </div>
    ),
  },
  {
    title: 'State',
    phone: 'end',
    cell: ({ process, tasks }) =>
      process === null || process.isSilent ? (
        <StatusBadge tone="bad">Lost</StatusBadge>
      ) : isPaused(process) ? (
        <StatusBadge tone="warn">Paused</StatusBadge>
      ) : tasks.length > 0 ? (
        <StatusBadge tone="info" live>
          Working
        </StatusBadge>
      ) : (
        <StatusBadge tone="neutral">Idle</StatusBadge>
      ),
  },
  {
    title: 'Task',
    phone: 'wide',
    cell: ({ process, tasks }) => (
      <div className={classes.tasks}>
        {process?.isSilent && (
          <span className={classes.fault}>
            Last heartbeat <RelativeTime date={process.heartbeatAt} />
          </span>
        )}
        {isPaused(process) && <span className={classes.fault}>{process.fault}</span>}
        {tasks.map((task) => (
          <Task key={`${task.videoId} ${task.kind} ${task.position}`} task={task} />
        ))}
        {tasks.length === 0 && process?.fault === null && !process.isSilent && <span className={classes.quiet}>–</span>}
      </div>
    ),
  },
  { title: 'Started', cell: ({ process }) => (process ? <RelativeTime date={process.startedAt} /> : '–') },
  { title: 'Version', cell: ({ process }) => process?.version ?? '–' },
]

const isPaused = (process: FleetWorker['process']): process is NonNullable<FleetWorker['process']> =>
  process !== null && process.fault !== null && !process.isSilent

function Task({ task }: { task: FleetTask }) {
  const { accountId, videoId, progress, startedAt } = task
  return (
    <div className={classes.task}>
      <div className={classes.about}>
        <Link href={`/support/accounts/${accountId}/videos/${videoId}`} className={`${classes.id} rg-touch`} title={videoId}>
          {videoId.slice(0, 12)}…
        </Link>
        <span>{nameOf(task)}</span>
        <span className={classes.quiet}>
          <RelativeTime date={startedAt} />
        </span>
      </div>
      <div className={classes.progress}>
        <span
          className={classes.bar}
          role="progressbar"
          aria-label="Progress"
          aria-valuenow={Math.round(progress * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <span style={{ width: `${progress * 100}%` }} />
        </span>
        <span className={classes.share}>{Math.floor(progress * 100)}%</span>
      </div>
    </div>
  )
}

function nameOf({ kind, position, startSec, endSec }: FleetTask): string {
  if (kind === 'finish') return 'Finishing'
  if (kind === 'copy') return 'Copying the video stream'
  if (kind === 'transcribe') return `Speech, chunk ${position + 1}`
  if (kind === 'quality') return 'Choosing bitrates'
  if (kind === 'audio') return `Audio track ${position + 1}`
  const span = startSec === null || endSec === null ? '' : `, ${formatDuration(startSec)}–${formatDuration(endSec)}`
  return `Chunk ${position + 1}${span}`
}

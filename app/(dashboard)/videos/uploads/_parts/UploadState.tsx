import { Progress } from '@mantine/core'
import type { DashboardUpload, UploadState as State } from '#server/modules/dashboard/list-uploads'
import { formatBytes } from '../../../../_ui/format'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import type { Tone } from '../../../../_ui/theme'
import { Countdown } from '../../../_parts/Countdown'
import classes from './Uploads.module.css'

const BADGES: Record<State, { tone: Tone; word: string; live?: boolean }> = {
  waiting: { tone: 'neutral', word: 'Waiting' },
  uploading: { tone: 'info', word: 'Uploading', live: true },
  retrying: { tone: 'warn', word: 'Retrying' },
  completed: { tone: 'good', word: 'Completed' },
  expired: { tone: 'neutral', word: 'Expired' },
  cancelled: { tone: 'neutral', word: 'Cancelled' },
  failed: { tone: 'bad', word: 'Failed' },
}

/** Shows the state of an upload; why it failed, or is tried again, and what to do. */
export function UploadState({ upload }: { upload: DashboardUpload }) {
  const { state, source, failure, retry, expiresAt } = upload
  const { tone, word, live = false } = BADGES[state]
  return (
    <>
      <StatusBadge tone={tone} live={live}>
        {state === 'uploading' && source ? 'Importing' : word}
      </StatusBadge>
      {failure && state !== 'cancelled' && (
        <div className={classes.reason}>
          {failure.reason} {failure.advice}
        </div>
      )}
      {retry && (
        <div className={classes.reason}>
          {retry.reason} {retry.nextAt ? <Next attempt={retry.attempts + 1} of={retry.maxAttempts} at={retry.nextAt} /> : null}
        </div>
      )}
      {state === 'waiting' && !source && (
        <div className={classes.reason}>
          Expires <RelativeTime date={expiresAt} />
        </div>
      )}
    </>
  )
}

function Next({ attempt, of, at }: { attempt: number; of: number; at: Date }) {
  return (
    <span className={classes.next}>
      Attempt {attempt} of {of} <Countdown at={at} />.
    </span>
  )
}

/** Shows how much of the file was received. */
export function UploadBytes({ upload: { state, bytesReceived, bytesTotal, title, id } }: { upload: DashboardUpload }) {
  if (state === 'completed') return formatBytes(bytesReceived)
  if (bytesReceived === 0) return <span className={classes.dim}>{bytesTotal === null ? '–' : `0 B of ${formatBytes(bytesTotal)}`}</span>
  const isOpen = state === 'uploading' || state === 'retrying'
  return (
    <div className={classes.bytes}>
      {isOpen && bytesTotal !== null && (
        <Progress value={(bytesReceived / bytesTotal) * 100} size={4} radius="xl" aria-label={`Received of ${title ?? id}`} />
      )}
      <span className={classes.dim}>
        {formatBytes(bytesReceived)}
        {bytesTotal !== null && ` of ${formatBytes(bytesTotal)}`}
      </span>
    </div>
  )
}

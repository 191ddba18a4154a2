import { Button, Progress } from '@mantine/core'
import { IconAlertTriangle, IconClock, IconGavel, IconLoader2, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount, formatWait } from '../../../../_ui/format'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import type { Tone } from '../../../../_ui/theme'
import classes from './StatePanel.module.css'

/** Shows the state of a video that cannot be played, and the possible actions; nothing for a playable one. */
export function StatePanel({ video, onRetry, busy }: { video: DashboardDetail; onRetry: (() => void) | undefined; busy: boolean }) {
  if (video.takenDownAt) {
    return (
      <State tone="bad" icon={<IconGavel size={17} />} title="Taken down">
        The operator took this video down <RelativeTime date={video.takenDownAt} />. The API refuses it and it cannot be played. Contact
        support to have it restored. Reason: {video.takedownReason}
      </State>
    )
  }
  if (video.deletedAt) {
    return (
      <State tone="neutral" icon={<IconTrash size={17} />} title="Deleted">
        The API refuses this video and it cannot be played. You can restore it within 7 days.
      </State>
    )
  }
  if (video.status === 'PENDING') {
    return <Waiting videoId={video.id} />
  }
  if (video.status === 'PROCESSING') {
    return (
      <State tone="info" icon={<IconLoader2 size={17} className={classes.turning} />} title={`Transcoding, ${video.progress}%`}>
        {video.etaSec === null ? 'Estimating time left…' : `About ${formatWait(video.etaSec)} left.`}
        <Progress value={video.progress} size={6} radius="xl" mt={10} transitionDuration={300} aria-label="Transcoding progress" />
      </State>
    )
  }
  if (video.status === 'FAILED') {
    const retry = onRetry && (
      <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} loading={busy} onClick={onRetry}>
        Retry
      </Button>
    )
    return (
      <State tone="bad" icon={<IconAlertTriangle size={17} />} title="Transcoding failed" action={retry}>
        {video.failureReason ?? 'No reason available.'}
      </State>
    )
  }
  return null
}

/** Positions change as other videos start, which this page is not notified of. */
const PLACE_EVERY_MS = 5_000

function Waiting({ videoId }: { videoId: string }) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.video.queuePlace.queryOptions({ videoId }, { refetchInterval: PLACE_EVERY_MS }))
  const place = data?.place ?? null
  return (
    <State
      tone="neutral"
      icon={<IconClock size={17} />}
      title={place === null ? 'Waiting' : place === 1 ? 'Next in the queue' : `Number ${formatCount(place)} in the queue`}
    >
      Transcoding starts automatically. Accounts take turns, and your oldest upload is first.
    </State>
  )
}

interface Props {
  tone: Tone
  icon: ReactNode
  title: string
  action?: ReactNode
  children: ReactNode
}

function State({ tone, icon, title, action, children }: Props) {
  return (
    <section className={classes.state} data-tone={tone} role="status">
      <span className={classes.icon}>{icon}</span>
      <div className={classes.text}>
        <h2 className={classes.title}>{title}</h2>
        <div>{children}</div>
      </div>
      {action}
    </section>
  )
}

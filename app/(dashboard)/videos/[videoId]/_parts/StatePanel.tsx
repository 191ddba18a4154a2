import { Button } from '@mantine/core'
import { IconAlertTriangle, IconGavel, IconRefresh, IconReplace, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import type { Tone } from '../../../../_ui/theme'
import { useMay } from '../../../_parts/permissions'
import { useVideoActions } from '../../../_parts/use-video-actions'
import { useAskTask } from '../../../_parts/VideoMenus'
import classes from './StatePanel.module.css'
import { VideoProcessing } from './VideoProcessing'

interface StateProps {
  video: DashboardDetail
  onWatch: (() => void) | undefined
}

/** Shows the state of a video that cannot be played, and the possible actions; nothing for a COMPLETED one. */
export function StatePanel({ video, onWatch }: StateProps) {
  const { retry, busy } = useVideoActions(video)
  const ask = useAskTask()
  const mayChange = useMay('videos.change')
  if (video.takenDownAt) {
    return (
      <State tone="bad" icon={<IconGavel size={17} />} title="Taken down">
        The operator took this video down <RelativeTime date={video.takenDownAt} />. It no longer plays, and the API no longer returns it.
        To have it restored, contact support. Reason: {video.takedownReason}
      </State>
    )
  }
  if (video.deletedAt) {
    return (
      <State tone="neutral" icon={<IconTrash size={17} />} title="Deleted">
        This video no longer plays, and the API no longer returns it. You can restore it within 7 days of its deletion.
      </State>
    )
  }
  if (video.status === 'PENDING' || video.status === 'PROCESSING') return <VideoProcessing video={video} onWatch={onWatch} />
  if (video.status === 'FAILED') {
    const actions = mayChange && (
      <div className={classes.actions}>
        <Button size="xs" variant="default" leftSection={<IconReplace size={14} />} onClick={() => ask(video, 'replace')}>
          Replace source…
        </Button>
        <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} loading={busy} onClick={retry}>
          Retry
        </Button>
      </div>
    )
    return (
      <State tone="bad" icon={<IconAlertTriangle size={17} />} title="Transcoding failed" action={actions}>
        {video.failureReason ?? 'No reason available.'}
      </State>
    )
  }
  return null
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

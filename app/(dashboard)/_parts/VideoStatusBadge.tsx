import type { VideoStatus } from '#server/modules/videos/state'
import { StatusBadge } from '../../_ui/StatusBadge'
import type { Tone } from '../../_ui/theme'

const SHOWN: Record<VideoStatus, { tone: Tone; title: string }> = {
  PENDING: { tone: 'neutral', title: 'Pending' },
  PROCESSING: { tone: 'info', title: 'Processing' },
  COMPLETED: { tone: 'good', title: 'Completed' },
  FAILED: { tone: 'bad', title: 'Failed' },
}

interface Props {
  status: VideoStatus
  deleted?: boolean
  takenDown?: boolean
}

/** Shows a video's status, in the terms of specification §3. */
export function VideoStatusBadge({ status, deleted = false, takenDown = false }: Props) {
  if (takenDown) return <StatusBadge tone="bad">Taken down</StatusBadge>
  if (deleted) return <StatusBadge tone="neutral">Deleted</StatusBadge>
  const { tone, title } = SHOWN[status]
  return (
    <StatusBadge tone={tone} live={status === 'PROCESSING'}>
      {title}
    </StatusBadge>
  )
}

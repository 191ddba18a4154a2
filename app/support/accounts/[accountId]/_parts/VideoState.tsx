import type { VideoStatus } from '#server/modules/videos/state'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import type { Tone } from '../../../../_ui/theme'

const SHOWN: Record<VideoStatus, { tone: Tone; title: string }> = {
  PENDING: { tone: 'neutral', title: 'Pending' },
  PROCESSING: { tone: 'info', title: 'Processing' },
  COMPLETED: { tone: 'good', title: 'Completed' },
  FAILED: { tone: 'bad', title: 'Failed' },
}

/** Shows a video's status, in the terms of specification §3. */
export function VideoState({ status, deleted, takenDown }: { status: VideoStatus; deleted: boolean; takenDown: boolean }) {
  if (takenDown) return <StatusBadge tone="bad">{deleted ? 'Taken down, deleted' : 'Taken down'}</StatusBadge>
  if (deleted) return <StatusBadge tone="neutral">Deleted</StatusBadge>
  return (
    <StatusBadge tone={SHOWN[status].tone} live={status === 'PROCESSING'}>
      {SHOWN[status].title}
    </StatusBadge>
  )
}

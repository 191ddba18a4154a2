import { Button, Skeleton } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { ProcessingPanel } from '../../../../_parts/processing/ProcessingPanel'
import { refetchAfterNotice } from '../../../../_trpc/answers'
import { useTRPC } from '../../../../_trpc/client'
import { Notice } from '../../../../_ui/Notice'

/** Positions change as other videos start, which this page is not notified of. */
const REFETCH_MS = 5_000

interface Props {
  video: DashboardDetail
  /** Plays what is encoded; undefined while nothing can be played, and while it plays. */
  onWatch: (() => void) | undefined
}

/** Shows the processing of a PENDING or PROCESSING video, live. */
export function VideoProcessing({ video, onWatch }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data, error } = useQuery(trpc.video.processing.queryOptions({ videoId: video.id }, { refetchInterval: REFETCH_MS }))

  // Notices of progress change the row that the page shows.
  const row = `${video.status} ${video.progress} ${video.etaSec} ${video.playableAt?.getTime()}`
  const shown = useRef(row)
  useEffect(() => {
    if (shown.current !== row) refetchAfterNotice(client, trpc.video.processing.queryFilter({ videoId: video.id }))
    shown.current = row
  }, [client, trpc, video.id, row])

  if (error && !data) return <Notice tone="bad">{error.message}</Notice>
  if (!data) return <Skeleton height={190} radius="lg" />
  const watch = onWatch && (
    <Button size="xs" leftSection={<IconPlayerPlay size={14} />} onClick={onWatch}>
      Watch now
    </Button>
  )
  return <ProcessingPanel state={data} action={watch} />
}

'use client'

import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useTRPC } from '../../_trpc/client'
import { ConfirmDialog } from './ConfirmDialog'
import { Dependents } from './Dependents'

interface Props {
  video: Pick<DashboardVideo, 'id' | 'title' | 'status'>
  opened: boolean
  onClose: () => void
  onConfirm: () => void
}

/** Confirms the deletion of a video, and shows how often it was played today. */
export function DeleteVideoDialog({ video: { id, title, status }, opened, onClose, onConfirm }: Props) {
  const trpc = useTRPC()
  const played = status === 'COMPLETED'
  const viewing = useQuery(trpc.viewing.report.queryOptions({ videoId: id, range: '7d' }, { enabled: opened && played, staleTime: 10_000 }))
  return (
    <ConfirmDialog
      title={`Delete “${title}”?`}
      action="Delete video"
      opened={opened}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        onConfirm()
      }}
    >
      {played && (
        <Dependents
          count={viewing.data?.days.at(-1)?.plays}
          failed={viewing.isError}
          unit={(count) => `${count === 1 ? 'play' : 'plays'} today (UTC)`}
          none="No plays today (UTC)."
        />
      )}
      <Text size="sm">
        Playback stops immediately, and the API no longer returns the video. You can restore it for 7 days. After that, its media is deleted
        permanently.
      </Text>
    </ConfirmDialog>
  )
}

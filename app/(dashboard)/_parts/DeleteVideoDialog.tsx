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
        The API refuses this video and playback stops immediately. You can restore it within 7 days; after that, its media is permanently
        deleted.
      </Text>
    </ConfirmDialog>
  )
}

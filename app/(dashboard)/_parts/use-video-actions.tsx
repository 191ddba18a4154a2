'use client'

import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../_trpc/client'

interface Subject {
  id: string
  title: string
}

/** Retry, delete and restore of one video, with what is said about them. Deleting asks nothing: it offers to undo. */
export function useVideoActions({ id: videoId, title }: Subject) {
  const trpc = useTRPC()
  const client = useQueryClient()
  // The event stream says so as well, but may be a moment later or, just now, be reconnecting.
  const refresh = () =>
    Promise.all([client.invalidateQueries(trpc.video.pathFilter()), client.invalidateQueries(trpc.account.overview.pathFilter())])
  const options = {
    onSuccess: refresh,
    onError: (error: { message: string }) => notifications.show({ color: 'red', title: 'That did not work', message: error.message }),
  }
  const retry = useMutation(trpc.video.retry.mutationOptions(options))
  const remove = useMutation(trpc.video.remove.mutationOptions(options))
  const restore = useMutation(trpc.video.restore.mutationOptions(options))

  const undo = (notice: string) => {
    notifications.hide(notice)
    restore.mutate({ videoId })
  }
  const removeWithUndo = () =>
    remove.mutate(
      { videoId },
      {
        onSuccess() {
          const notice = `removed-${videoId}`
          notifications.show({
            id: notice,
            autoClose: 10_000,
            withBorder: true,
            message: (
              <Group justify="space-between" wrap="nowrap">
                <span>
                  Deleted <b>{title}</b>
                </span>
                <Button size="compact-sm" variant="light" onClick={() => undo(notice)}>
                  Undo
                </Button>
              </Group>
            ),
          })
        },
      },
    )

  return {
    retry: () => retry.mutate({ videoId }),
    remove: removeWithUndo,
    restore: () => restore.mutate({ videoId }),
    busy: retry.isPending || remove.isPending || restore.isPending,
  }
}

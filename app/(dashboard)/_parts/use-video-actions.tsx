'use client'

import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { askAnew } from '../../_trpc/answers'
import { useTRPC } from '../../_trpc/client'
import { showVideo } from './show-video'

/**
 * Retry, delete and restore of one video, with what is said about them. Each is shown at once, and taken back when the server refuses.
 * Deleting is asked about in a dialog before (DeleteVideoDialog), and offers to undo.
 */
export function useVideoActions(video: DashboardVideo) {
  const { id: videoId, title } = video
  const trpc = useTRPC()
  const client = useQueryClient()
  const shownAs = (changes: () => Partial<DashboardVideo>) => ({
    onMutate: () => showVideo(client, trpc, { ...video, ...changes() }, { foretold: true }),
    // The event stream says what came of it as well, but may be a moment later or, just now, be reconnecting.
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries(trpc.video.get.queryFilter({ videoId })),
        client.invalidateQueries(trpc.video.log.queryFilter({ videoId })),
        client.invalidateQueries(trpc.account.overview.pathFilter()),
      ]),
    onError: (error: { message: string }) => {
      notifications.show({ color: 'red', title: 'That did not work', message: error.message })
      askAnew(client, trpc.video.pathFilter())
    },
  })
  const begunAnew = () => ({ status: 'PENDING' as const, failureReason: null, progress: 0, etaSec: null, startedAt: null })
  const retry = useMutation(trpc.video.retry.mutationOptions(shownAs(begunAnew)))
  const restore = useMutation(trpc.video.restore.mutationOptions(shownAs(() => ({ deletedAt: null }))))

  const offerUndo = () => {
    const id = `removed-${videoId}`
    const undo = () => {
      notifications.hide(id)
      restore.mutate({ videoId })
    }
    notifications.show({
      id,
      autoClose: 10_000,
      withBorder: true,
      message: (
        <Group justify="space-between" wrap="nowrap">
          <span>
            Deleted <b>{title}</b>
          </span>
          <Button size="compact-sm" variant="light" onClick={undo}>
            Undo
          </Button>
        </Group>
      ),
    })
  }
  const removing = shownAs(() => ({ deletedAt: new Date() }))
  // Not with the call: its row is gone by the time it is answered.
  const onSuccess = () => {
    offerUndo()
    return removing.onSuccess()
  }
  const remove = useMutation(trpc.video.remove.mutationOptions({ ...removing, onSuccess }))

  return {
    retry: () => retry.mutate({ videoId }),
    remove: () => remove.mutate({ videoId }),
    restore: () => restore.mutate({ videoId }),
    /** Not playable until the server has said so. */
    restoring: restore.isPending,
    busy: retry.isPending || remove.isPending || restore.isPending,
  }
}

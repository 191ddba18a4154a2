'use client'

import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { refetchAfterNotice } from '../../_trpc/answers'
import { useTRPC } from '../../_trpc/client'
import { offerUndo } from './offer-undo'
import { showVideo } from './show-video'

/**
 * Retries, deletes and restores a video, with their notifications. Each is shown at once, and reverted when the server refuses. A dialog
 * confirms a deletion before (DeleteVideoDialog), and the notification offers to undo it.
 */
export function useVideoActions(video: DashboardVideo) {
  const { id: videoId, title } = video
  const trpc = useTRPC()
  const client = useQueryClient()
  const shownAs = (changes: () => Partial<DashboardVideo>) => ({
    onMutate: () => showVideo(client, trpc, { ...video, ...changes() }, { foretold: true }),
    // The event stream reports the result too, but may be later or reconnecting.
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries(trpc.video.get.queryFilter({ videoId })),
        client.invalidateQueries(trpc.video.log.queryFilter({ videoId })),
        client.invalidateQueries(trpc.account.overview.pathFilter()),
      ]),
    onError: (error: { message: string }) => {
      notifications.show({ color: 'red', title: 'Something went wrong', message: error.message })
      refetchAfterNotice(client, trpc.video.pathFilter())
    },
  })
  const begunAnew = () => ({
    status: 'PENDING' as const,
    failureReason: null,
    progress: 0,
    etaSec: null,
    startedAt: null,
    playableAt: null,
  })
  const retry = useMutation(trpc.video.retry.mutationOptions(shownAs(begunAnew)))
  const restore = useMutation(trpc.video.restore.mutationOptions(shownAs(() => ({ deletedAt: null }))))

  const removing = shownAs(() => ({ deletedAt: new Date() }))
  // Not passed to the call: its row is unmounted before the response.
  const onSuccess = () => {
    offerUndo(videoId, 'Deleted', title, () => restore.mutate({ videoId }))
    return removing.onSuccess()
  }
  const remove = useMutation(trpc.video.remove.mutationOptions({ ...removing, onSuccess }))

  return {
    retry: () => retry.mutate({ videoId }),
    remove: () => remove.mutate({ videoId }),
    restore: () => restore.mutate({ videoId }),
    /** Not playable until the server has responded. */
    restoring: restore.isPending,
    busy: retry.isPending || remove.isPending || restore.isPending,
  }
}

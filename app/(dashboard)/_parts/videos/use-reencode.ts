'use client'

import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'

/** Requests that a video is encoded again, with a notification. */
export function useReencode(videoId: string): { begin: () => void; busy: boolean } {
  const trpc = useTRPC()
  const client = useQueryClient()
  const request = useMutation(
    trpc.video.reencode.mutationOptions({
      onSuccess() {
        notifications.show({
          withBorder: true,
          message:
            'Re-encoding starts when no other video is being processed. Viewers can keep watching. We keep the new version only if it is smaller.',
        })
        return Promise.all([
          client.invalidateQueries(trpc.video.get.queryFilter({ videoId })),
          client.invalidateQueries(trpc.video.log.queryFilter({ videoId })),
          client.invalidateQueries(trpc.video.processing.queryFilter({ videoId })),
        ])
      },
      onError: ({ message }) => notifications.show({ withBorder: true, color: 'red', message }),
    }),
  )
  return { begin: () => request.mutate({ videoId }), busy: request.isPending }
}

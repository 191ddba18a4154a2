'use client'

import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { RemovedCaptions } from '#server/modules/videos/captions/captions'
import { useTRPC } from '../../../_trpc/client'
import { offerUndo } from '../offer-undo'

/** Adds, replaces and removes captions of a video, and offers to undo each. */
export function useCaptions(videoId: string) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const settled = { onSettled: () => client.invalidateQueries(trpc.video.pathFilter()) }
  const onError = ({ message }: { message: string }) => notifications.show({ color: 'red', title: 'Something went wrong', message })
  const restore = useMutation(trpc.video.putCaptions.mutationOptions({ ...settled, onError }))
  const withdraw = useMutation(trpc.video.removeCaptions.mutationOptions({ ...settled, onError }))
  type Stored = { name: string; label: string } | null
  /** Offers to put captions back in place of those `stored` instead; not those that could not be read any more. */
  const offer = (did: string, language: string, { label, text, ...marks }: RemovedCaptions, stored: Stored) =>
    offerUndo(
      `${videoId} ${language}`,
      did,
      label,
      text === null ? undefined : () => restore.mutate({ videoId, language, label, text, ...marks, expected: stored }),
    )
  const put = useMutation(
    trpc.video.putCaptions.mutationOptions({
      // Not awaited: the dialog closes at once.
      onSettled: () => void settled.onSettled(),
      onSuccess({ language, label, name = '', replaced }) {
        if (replaced) offer('Replaced the captions', language, replaced, { name, label })
        else offerUndo(`${videoId} ${language}`, 'Added the captions', label, () => withdraw.mutate({ videoId, language }))
      },
    }),
  )
  const remove = useMutation(
    trpc.video.removeCaptions.mutationOptions({
      ...settled,
      onError,
      onSuccess: (removed, { language }) => offer('Removed the captions', language, removed, null),
    }),
  )
  return { put, remove }
}

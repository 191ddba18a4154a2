import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { ProcessingPanel } from '../../../../_parts/processing/ProcessingPanel'
import { useTRPC } from '../../../../_trpc/client'
import { Notice } from '../../../../_ui/Notice'

const REFETCH_MS = 5_000
/** While there is none: the row of a new source has no notices of its own. */
const IDLE_MS = 15_000

/** Shows the processing of a new source of the video, or of its present one again, live, and cancels it; nothing without one. */
export function Replacement({ video, mayChange }: { video: DashboardDetail; mayChange: boolean }) {
  const { id: videoId, reencodeRequestedAt } = video
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data } = useQuery(
    trpc.video.processing.queryOptions({ videoId }, { refetchInterval: ({ state }) => (state.data?.replacement ? REFETCH_MS : IDLE_MS) }),
  )
  const replacement = data?.replacement
  const reencodes = replacement?.reencodes ?? reencodeRequestedAt !== null
  // A short video is re-encoded between two reads of its processing, which then never show it: the end of the request does.
  const waits = reencodeRequestedAt !== null && !replacement
  useQuery(trpc.video.get.queryOptions({ videoId }, { refetchInterval: waits && REFETCH_MS }))
  const refetch = useCallback(async () => {
    // Before the log: where it shows no replacement any more, the log has the line of its end.
    await client.invalidateQueries(trpc.video.processing.queryFilter({ videoId }))
    await Promise.all([
      client.invalidateQueries(trpc.video.log.queryFilter({ videoId })),
      client.invalidateQueries(trpc.video.get.queryFilter({ videoId })),
    ])
  }, [client, trpc, videoId])
  // The log has a line when one is received, begun, complete, failed or cancelled.
  const state = `${replacement?.receivedAt} ${reencodeRequestedAt?.getTime()}`
  const shown = useRef(state)
  useEffect(() => {
    if (shown.current !== state) void refetch()
    shown.current = state
  }, [refetch, state])
  const cancel = useMutation(
    trpc.video.cancelReplacement.mutationOptions({
      onSuccess: () => {
        notifications.show({
          message: reencodes
            ? 'Re-encoding cancelled. The video is unchanged.'
            : 'Replacement cancelled. The video keeps its current source.',
        })
        return refetch()
      },
      onError: ({ message }) => notifications.show({ color: 'red', title: 'Something went wrong', message }),
    }),
  )
  if (!replacement && !reencodeRequestedAt) return null
  const button = mayChange && (
    <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({ videoId })}>
      {reencodes ? 'Cancel re-encoding' : 'Cancel replacement'}
    </Button>
  )
  if (!replacement)
    return (
      <Notice tone="info">
        <Group justify="space-between" gap="sm">
          <span>Re-encoding starts when no other video is being processed.</span>
          {button}
        </Group>
      </Notice>
    )
  return <ProcessingPanel state={replacement} source={replacement.sourceName} reencodes={replacement.reencodes} action={button} />
}

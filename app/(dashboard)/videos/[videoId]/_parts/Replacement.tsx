import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
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
  const refetch = () =>
    Promise.all([
      client.invalidateQueries(trpc.video.processing.queryFilter({ videoId })),
      client.invalidateQueries(trpc.video.log.queryFilter({ videoId })),
      client.invalidateQueries(trpc.video.get.queryFilter({ videoId })),
    ])
  // The log has a line when one is received, complete, failed or cancelled.
  const received = replacement?.receivedAt
  const shown = useRef(received)
  useEffect(() => {
    if (shown.current !== received) {
      void client.invalidateQueries(trpc.video.log.queryFilter({ videoId }))
      void client.invalidateQueries(trpc.video.get.queryFilter({ videoId }))
    }
    shown.current = received
  }, [client, trpc, videoId, received])
  const cancel = useMutation(
    trpc.video.cancelReplacement.mutationOptions({
      onSuccess: () => {
        notifications.show({
          message: reencodes ? 'Re-encoding cancelled. The video stays as it is.' : 'Replacement cancelled. The video keeps its source.',
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
          <span>Re-encoding begins when no other video is being transcoded.</span>
          {button}
        </Group>
      </Notice>
    )
  return <ProcessingPanel state={replacement} source={replacement.sourceName} reencodes={replacement.reencodes} action={button} />
}

'use client'

import { Button, Skeleton } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { ViewersPanel } from '../../../../_parts/viewers/ViewersPanel'
import { useTRPC } from '../../../../_trpc/client'
import { ErrorState } from '../../../../_ui/page/ErrorState'
import { useDialog } from '../../../../_ui/use-dialog'
import type { Ending } from '../../../_parts/EndPlaybackDialog'
import { useMay } from '../../../_parts/permissions'

// Loaded when first opened.
const EndPlaybackDialog = dynamic(() => import('../../../_parts/EndPlaybackDialog').then((module) => module.EndPlaybackDialog), {
  ssr: false,
})

/** The interval at which processes write the activity of sessions. */
const REFETCH_MS = 10_000

/** Shows who watches the video now. Members who may change videos can end a session, or all of them. */
export function Viewers({ videoId }: { videoId: string }) {
  const trpc = useTRPC()
  const { data: video } = useSuspenseQuery(trpc.video.get.queryOptions({ videoId }))
  const { title, encrypted } = video
  const mayChange = useMay('videos.change')
  const { data, error, refetch } = useQuery(trpc.video.viewers.queryOptions({ videoId }, { refetchInterval: REFETCH_MS }))
  const [dialog, ask] = useDialog<Ending>()
  if (error && !data) return <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={110} radius="lg" />
  const buttonFor = (label: string, ending: Ending, name?: string) => (
    <Button size="compact-sm" variant="default" aria-label={name} onClick={() => ask(ending)}>
      {label}
    </Button>
  )
  return (
    <>
      <ViewersPanel
        state={data}
        {...(mayChange && {
          action: buttonFor('End all sessions…', { kind: 'video', videoId, title, encrypted }),
          actionOf: ({ tokenId }) => buttonFor('End…', { kind: 'token', tokenId }, `End session ${tokenId}`),
        })}
      />
      {dialog && <EndPlaybackDialog key={dialog.times} ending={dialog.subject} {...dialog.props} />}
    </>
  )
}

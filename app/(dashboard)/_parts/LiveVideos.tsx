'use client'

import { useDocumentVisibility } from '@mantine/hooks'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useEffect, useRef } from 'react'
import type { VideoEvent } from '#server/modules/dashboard/watch-videos'
import { refetchAfterNotice, refetchWhenHydrated } from '../../_trpc/answers'
import { redirectToTotpSetup, type TrpcError, useTRPC } from '../../_trpc/client'
import { suspectConnection } from '../../_trpc/connection'
import { useReopened } from '../../_trpc/use-reopened'
import { showGone, showVideo } from './show-video'

type Trpc = ReturnType<typeof useTRPC>

/**
 * Keeps the videos on the pages in step with the database over one event stream. A background tab closes its stream: browsers allow six
 * connections to a site over HTTP/1.1, and forgotten tabs would use them all.
 */
export function LiveVideos() {
  const trpc = useTRPC()
  const client = useQueryClient()
  const visible = useDocumentVisibility() === 'visible'
  const failures = useRef(0)
  const heardAt = useRef(-Infinity)
  const onData = (event: VideoEvent) => {
    failures.current = 0
    heardAt.current = performance.now()
    apply(client, trpc, event)
  }
  const onConnectionStateChange = ({ state, error }: { state: string; error: unknown }) => {
    if (state === 'connecting' && error) suspectConnection()
  }
  // Signed out in another tab, or signed in under a new cookie: requests the current user to distinguish them; the former redirects to the
  // sign-in.
  const onError = (error: TrpcError) => {
    redirectToTotpSetup(error.data?.details)
    if (error.data?.code === 'UNAUTHENTICATED')
      void client.fetchQuery(trpc.account.me.queryOptions(undefined, { staleTime: 0 })).catch(() => {})
  }
  const stream = useSubscription(
    trpc.video.watch.subscriptionOptions(undefined, { enabled: visible, onData, onConnectionStateChange, onError }),
  )

  useEffect(() => refetchWhenHydrated(client, trpc.video.pathFilter(), () => heardAt.current), [client, trpc])

  useReopened(stream, failures)
  useEffect(() => {
    if (stream.status === 'error') suspectConnection()
  }, [stream.status])
  return null
}

function apply(client: QueryClient, trpc: Trpc, event: VideoEvent): void {
  if (event.type === 'resync') {
    refetchAfterNotice(client, trpc.video.pathFilter())
    refetchAfterNotice(client, trpc.account.overview.pathFilter())
    return
  }
  for (const video of event.videos) showVideo(client, trpc, video)
  for (const id of event.gone) showGone(client, trpc, id)
}

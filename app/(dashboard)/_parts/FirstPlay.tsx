'use client'

import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../../_trpc/client'
import { Notice } from '../../_ui/Notice'
import classes from './Step.module.css'

/** Plays a video in the page, as a viewer sees it. Unlike a preview, this play counts. */
export function FirstPlay({ videoId, done }: { videoId: string; done: boolean }) {
  const trpc = useTRPC()
  const { data, error, isFetching, refetch } = useQuery(
    trpc.viewing.preview.queryOptions({ videoId }, { enabled: false, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 }),
  )
  if (error) return <Notice tone="bad">{error.message}</Notice>
  if (data) {
    const address = new URL(data.playerUrl)
    address.searchParams.delete('preview')
    address.searchParams.set('autoplay', '1')
    return (
      <iframe className={classes.player} src={address.href} title="Player" allow="autoplay; fullscreen; encrypted-media" allowFullScreen />
    )
  }
  if (done) return null
  return (
    <div>
      <Button variant="default" leftSection={<IconPlayerPlay size={15} />} loading={isFetching} onClick={() => void refetch()}>
        Play it here
      </Button>
    </div>
  )
}

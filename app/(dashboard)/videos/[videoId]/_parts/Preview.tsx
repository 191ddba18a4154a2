'use client'

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../../_trpc/client'
import { Notice } from '../../../../_ui/Notice'
import classes from './Preview.module.css'

interface Props {
  videoId: string
  shape: { width: number; height: number } | undefined
  /** Whether the server would play it: a video that is being restored is shown before it is playable. */
  ready: boolean
}

/** Shows the video as a viewer sees it; its playback is not counted. */
export function Preview({ videoId, shape, ready }: Props) {
  const trpc = useTRPC()
  // One token for as long as the page is open: the player exchanges it at once for a session of hours.
  const options = trpc.viewing.preview.queryOptions({ videoId }, { enabled: ready, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 })
  const { data, error } = useQuery(options)
  if (error) return <Notice tone="bad">{error.message}</Notice>
  return (
    <div className={classes.frame} style={{ aspectRatio: shape ? `${shape.width} / ${shape.height}` : undefined }}>
      {data ? (
        <iframe src={data.playerUrl} title="Preview" allow="autoplay; fullscreen; picture-in-picture; encrypted-media" allowFullScreen />
      ) : (
        <Skeleton height="100%" radius={0} />
      )}
    </div>
  )
}

'use client'

import { Loader } from '@mantine/core'
import { IconEyeOff, IconPlayerPlayFilled } from '@tabler/icons-react'
import { useIsMutating, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useTRPC } from '../../../../_trpc/client'
import { Notice } from '../../../../_ui/Notice'
import { useShowsContent } from '../../../_parts/permissions'
import classes from './Preview.module.css'

interface Props {
  video: Pick<DashboardVideo, 'id' | 'title' | 'posterUrl'>
  shape: { width: number; height: number } | undefined
  /** Whether the user asked for the player before this is shown. */
  begun: boolean
  /** The second at which it starts; the player is shown at once then. */
  start: number | undefined
}

/**
 * Shows the video as a viewer sees it; its playback is not counted. The player is loaded once the user asks for it: it is larger than the
 * rest of the page, and most visits do not play the video.
 */
export function Preview({ video: { id: videoId, title, posterUrl }, shape, begun, start }: Props) {
  const trpc = useTRPC()
  const [asked, setAsked] = useState(false)
  const shows = useShowsContent()
  const wanted = begun || asked || start !== undefined
  // A video that is being restored is shown before the server plays it.
  const ready = useIsMutating({ mutationKey: trpc.video.restore.mutationKey() }) === 0
  // One token for as long as the page is open: the player exchanges it at once for a session of hours.
  const { data, error } = useQuery(
    trpc.viewing.preview.queryOptions({ videoId }, { enabled: ready && wanted && shows, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 }),
  )
  const frame = { className: classes.frame, style: { aspectRatio: shape ? `${shape.width} / ${shape.height}` : undefined } }
  if (!shows)
    return (
      <div {...frame} data-hidden>
        <IconEyeOff size={26} stroke={1.5} />
        Support staff cannot watch videos.
      </div>
    )
  if (error) return <Notice tone="bad">{error.message}</Notice>
  return (
    <div {...frame}>
      {data && wanted ? (
        <iframe
          // The button that had the focus is gone.
          ref={asked ? focus : undefined}
          src={`${data.playerUrl}&transcript=1${asked ? '&autoplay' : ''}${start === undefined ? '' : `&t=${start}`}`}
          title="Preview"
          allow="autoplay; fullscreen; picture-in-picture; encrypted-media"
          allowFullScreen
        />
      ) : (
        <button type="button" className={classes.play} aria-label={`Play ${title}`} aria-busy={wanted} onClick={() => setAsked(true)}>
          {/* biome-ignore lint/performance/noImgElement: it is small already, and loads from the media's own address */}
          {posterUrl && <img src={posterUrl} alt="" />}
          <span className={classes.icon}>{wanted ? <Loader size={22} color="white" /> : <IconPlayerPlayFilled size={26} />}</span>
        </button>
      )}
    </div>
  )
}

const focus = (frame: HTMLIFrameElement | null) => frame?.focus()

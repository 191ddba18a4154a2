'use client'

import { Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { DamageList } from '../../../../_parts/processing/DamageList'
import { useTRPC } from '../../../../_trpc/client'
import { Notice } from '../../../../_ui/Notice'
import { useMay } from '../../../_parts/permissions'
import { Captions } from './Captions'
import { Collections } from './Collections'
import { Facts } from './Facts'
import { Metadata } from './Metadata'
import classes from './Overview.module.css'
import { Poster } from './Poster'
import { Preview } from './Preview'
import { Snippets } from './Snippets'
import { StatePanel } from './StatePanel'

// Few videos have a new source.
const Replacement = dynamic(() => import('./Replacement').then((module) => module.Replacement), { ssr: false })

interface Props {
  videoId: string
  baseUrl: string
  sdkUrl: string
  /** The second of the video that the address names. */
  start: number | undefined
}

/** Shows the player of a video and what an owner does with it, next to its properties. */
export function Overview({ videoId, baseUrl, sdkUrl, start }: Props) {
  const trpc = useTRPC()
  const { data: video } = useSuspenseQuery(trpc.video.get.queryOptions({ videoId }))
  const { status, playableAt, deletedAt, takenDownAt } = video
  const free = !deletedAt && !takenDownAt
  const mayChange = useMay('videos.change') && free
  const playable = status === 'COMPLETED' && free
  // What is encoded of a PROCESSING video plays on request; once it is COMPLETED the same player stays.
  const [watching, setWatching] = useState(false)
  const early = status === 'PROCESSING' && playableAt !== null && free
  return (
    <div className={classes.columns}>
      <Stack gap="lg" miw={0}>
        <StatePanel video={video} onWatch={early && !watching ? () => setWatching(true) : undefined} />
        {free && <Replacement video={video} mayChange={mayChange} />}
        {(playable || (early && watching)) && <Preview video={video} shape={video.renditions[0]} begun={watching} start={start} />}
        {video.damage.length > 0 && (
          <Notice tone="info">
            <DamageList texts={video.damage} />
          </Notice>
        )}
        {playable && <Snippets video={video} baseUrl={baseUrl} sdkUrl={sdkUrl} />}
      </Stack>
      <Stack gap="lg" miw={0}>
        <Facts video={video} />
        {!deletedAt && <Captions video={video} mayChange={mayChange} />}
        {playable && video.posters.length > 0 && <Poster video={video} mayChange={mayChange} />}
        <Metadata video={video} mayChange={mayChange} />
        <Collections video={video} mayChange={mayChange} />
      </Stack>
    </div>
  )
}

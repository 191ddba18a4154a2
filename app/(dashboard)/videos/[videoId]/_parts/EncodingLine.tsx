'use client'

import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Processing } from '#server/modules/transcoding/tasks/processing-schema'
import type { VideoWatchedEncodings, WatchedState } from '#server/modules/transcoding/watched-encodings'
import { useTRPC } from '../../../../_trpc/client'
import classes from './Renditions.module.css'

const POLL_MS = 20_000

/** Says in one line what the renditions are encoded with, how close they are to the original, and what the video gets once it is watched more. */
export function EncodingLine({ videoId }: { videoId: string }) {
  const trpc = useTRPC()
  const { data: watched } = useQuery(
    trpc.video.watchedEncodings.queryOptions(
      { videoId },
      { refetchInterval: ({ state }) => (state.data && isEncoding(state.data) ? POLL_MS : false) },
    ),
  )
  const { data: processing } = useQuery(trpc.video.processing.queryOptions({ videoId }))
  const parts = [processing && scoreOf(processing), ...(watched ? partsOf(watched) : [])].filter(Boolean)
  if (parts.length === 0) return null
  return (
    <p className={classes.line}>
      {parts.join(' · ')}.{' '}
      <Anchor href="/docs/processing#av1" inherit underline="always">
        How we encode
      </Anchor>
    </p>
  )
}

const isEncoding = ({ encodings: { av1, slower } }: VideoWatchedEncodings) => av1?.state === 'encoding' || slower?.state === 'encoding'

const tenths = (value: number) => (Math.floor(value * 10) / 10).toLocaleString('en')

function scoreOf({ pictureQuality }: Processing): string | undefined {
  const highest = pictureQuality?.renditions[0]
  return highest?.vmafMean ? `VMAF ${highest.vmafMean} at ${highest.quality}` : undefined
}

function partsOf({ watchedHours, preset, encodings: { av1, slower } }: VideoWatchedEncodings): string[] {
  const isBelow = (one: typeof av1) => one?.state === 'below'
  const texts: Record<'av1' | 'slower', Record<WatchedState, (hours: number) => string>> = {
    av1: {
      below: (hours) => `AV1 after ${tenths(hours)} hours of watch time`,
      due: () => 'AV1 queued',
      encoding: () => 'Encoding AV1',
      stored: () => 'AV1 where a device decodes it, H.264 elsewhere',
      declined: () => 'No AV1: it failed or saved too little',
    },
    slower: {
      below: (hours) => `x264 preset ${preset} after ${tenths(hours)} hours of watch time`,
      due: () => `x264 preset ${preset} queued`,
      encoding: () => `Re-encoding with the x264 preset ${preset}`,
      stored: () => `x264 preset ${preset}`,
      declined: () => `No x264 preset ${preset}: it failed or saved too little`,
    },
  }
  return [
    slower ? texts.slower[slower.state](slower.afterHours) : '',
    av1 ? texts.av1[av1.state](av1.afterHours) : '',
    isBelow(av1) || isBelow(slower) ? `watched ${tenths(watchedHours)} hours so far` : '',
  ]
}

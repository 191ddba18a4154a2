'use client'

import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { VideoWatchedEncodings, WatchedState } from '#server/modules/transcoding/watched-encodings'
import { useTRPC } from '../../../../_trpc/client'
import { Panel } from '../../../../_ui/Panel'
import classes from './WatchedEncodings.module.css'

const POLL_MS = 20_000

/** Shows after how many watched hours a video gets AV1 and the slower preset, and what it has. Nothing where it gets neither. */
export function WatchedEncodings({ videoId }: { videoId: string }) {
  const trpc = useTRPC()
  const { data } = useQuery(
    trpc.video.watchedEncodings.queryOptions(
      { videoId },
      { refetchInterval: ({ state }) => (state.data && isEncoding(state.data) ? POLL_MS : false) },
    ),
  )
  const texts = data ? textsOf(data) : []
  if (texts.length === 0) return null
  return (
    <Panel
      title="Further encoding"
      action={
        <Anchor href="/docs/processing#av1" size="sm">
          About AV1
        </Anchor>
      }
    >
      {texts.map((text) => (
        <p key={text} className={classes.text}>
          {text}
        </p>
      ))}
    </Panel>
  )
}

const isEncoding = ({ encodings: { av1, slower } }: VideoWatchedEncodings) => av1?.state === 'encoding' || slower?.state === 'encoding'

function textsOf({ watchedHours, preset, encodings: { av1, slower } }: VideoWatchedEncodings): string[] {
  const soFar = (afterHours: number) =>
    `after ${tenths.format(afterHours)} watched ${afterHours === 1 ? 'hour' : 'hours'}; ${tenths.format(Math.floor(watchedHours * 10) / 10)} so far.`
  const texts: Record<'av1' | 'slower', Record<WatchedState, (afterHours: number) => string>> = {
    av1: {
      below: (afterHours) => `AV1 ${soFar(afterHours)}`,
      due: () => 'AV1 is due. We encode it while no other video is being processed.',
      encoding: () => 'Encoding AV1. The video plays in H.264 meanwhile.',
      stored: () => 'Plays in AV1 where a device decodes it, and in H.264 everywhere else.',
      declined: () => 'AV1 failed or saved too little. The video plays in H.264.',
    },
    slower: {
      below: (afterHours) => `Re-encoding with the x264 preset ${preset} ${soFar(afterHours)}`,
      due: () => `Re-encoding with the x264 preset ${preset} is due. It starts while no other video is being processed.`,
      encoding: () => 'Re-encoding. The video plays meanwhile.',
      stored: () => `Encoded with the x264 preset ${preset}: the same quality in fewer bytes.`,
      declined: () => `Re-encoding with the x264 preset ${preset} failed or saved too little. The video stays as it is.`,
    },
  }
  return [av1 && texts.av1[av1.state](av1.afterHours), slower && texts.slower[slower.state](slower.afterHours)].filter(
    (text) => text !== null,
  )
}

const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

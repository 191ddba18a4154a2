'use client'

import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { VideoCodec } from '#server/modules/codec-demand/state'
import { useTRPC } from '../../../../_trpc/client'
import { Dollars } from '../../../../_ui/Dollars'
import { formatBytes, formatShare } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { Totals } from '../../../../_ui/Totals'
import classes from './FurtherCodec.module.css'

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const POLL_MS = 20_000

/** Shows what AV1 saves and costs for this video, in money, and why it has it or not. */
export function FurtherCodec({ videoId }: { videoId: string }) {
  const trpc = useTRPC()
  const { data } = useQuery(
    trpc.video.codec.queryOptions({ videoId }, { refetchInterval: ({ state }) => (state.data?.state === 'encoding' ? POLL_MS : false) }),
  )
  if (!data || data.state === 'off' || data.state === 'unavailable') return null
  const { forecast, stored, month } = data
  return (
    <Panel
      title="AV1"
      action={
        <Anchor href="/docs/processing#av1" size="sm">
          About AV1
        </Anchor>
      }
    >
      <p className={classes.text}>{EXPLAINED[data.state](data)}</p>
      <Totals
        facts={
          stored
            ? [
                ['Size', formatBytes(stored.bytes)],
                ['Less than H.264', formatShare(1 - stored.bytes / stored.h264Bytes)],
                ['Saved so far', <Dollars key="amount" amount={stored.saved} />],
                ['Saves in 30 days', <Dollars key="amount" amount={forecast.saving} />],
                ['Storage, 30 days', <Dollars key="amount" amount={forecast.storage} />],
              ]
            : [
                ['Would save', <Dollars key="amount" amount={forecast.saving} />],
                ['Encoding', <Dollars key="amount" amount={forecast.encoding} />],
                ['Storage', <Dollars key="amount" amount={forecast.storage} />],
                ['Net, 30 days', <Dollars key="amount" amount={forecast.net} />],
              ]
        }
      />
      {month && (
        <p className={classes.text}>
          In the 30 days from {day.format(month.since)}, AV1 saved <Dollars amount={month.real} /> after all costs;{' '}
          <Dollars amount={month.forecast} /> were expected.
        </p>
      )}
    </Panel>
  )
}

type Shown = Exclude<VideoCodec['state'], 'off' | 'unavailable'>

const EXPLAINED: Record<Shown, (codec: VideoCodec) => string> = {
  notWorth: ({ mode, forecast }) =>
    mode === 'always'
      ? 'Not encoded in AV1 yet. Every video is, the newest first, while nothing else is being transcoded.'
      : forecast.net > 0
        ? 'Not encoded in AV1 yet. It would save more than it costs, and is decided about within a quarter of an hour.'
        : 'Not encoded in AV1: by the plays so far, it would cost more than it saves.',
  waiting: () => 'Will be encoded in AV1 once nothing else is being transcoded. Videos that save more come first.',
  encoding: () => 'Is being encoded in AV1. The video plays in H.264 meanwhile.',
  stored: () => 'Plays in AV1 where a device can decode it, and in H.264 everywhere else.',
  refused: () => 'Cannot be encoded in AV1: its renditions were made by an early version, or its original is not available.',
  dropped: () => 'AV1 failed, or needed nearly as many bytes as H.264. The video plays in H.264; AV1 may be tried again after 90 days.',
}

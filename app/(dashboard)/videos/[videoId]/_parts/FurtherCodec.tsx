'use client'

import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import type { DemandCodec, VideoCodec } from '#server/modules/codec-demand/state'
import { useTRPC } from '../../../../_trpc/client'
import { Dollars } from '../../../../_ui/Dollars'
import { formatBytes, formatShare } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { Totals } from '../../../../_ui/Totals'
import classes from './FurtherCodec.module.css'

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const POLL_MS = 20_000

/** Shows what AV1, or a slower preset of H.264, saves and costs for this video, in money, and why it has it or not. */
export function FurtherCodec({ videoId, codec }: { videoId: string; codec: DemandCodec }) {
  const trpc = useTRPC()
  const { data } = useQuery(
    trpc.video.codec.queryOptions(
      { videoId, codec },
      { refetchInterval: ({ state }) => (state.data?.state === 'encoding' ? POLL_MS : false) },
    ),
  )
  if (!data || data.state === 'off' || data.state === 'unavailable') return null
  // Of most videos: a panel for each would tell their owners nothing.
  if (codec === 'h264' && data.state === 'notWorth' && data.mode !== 'always' && data.forecast.net <= 0) return null
  const { month } = data
  const { title, about, subject, explained, facts } = SHOWN[codec]
  return (
    <Panel
      title={title}
      action={
        <Anchor href={`/docs/processing#${about}`} size="sm">
          About {subject}
        </Anchor>
      }
    >
      <p className={classes.text}>{explained[data.state](data)}</p>
      <Totals facts={facts(data)} />
      {month && (
        <p className={classes.text}>
          In the 30 days from {day.format(month.since)}, {subject} saved <Dollars amount={month.real} /> after all costs;{' '}
          <Dollars amount={month.forecast} /> were expected.
        </p>
      )}
    </Panel>
  )
}

type Shown = Exclude<VideoCodec['state'], 'off' | 'unavailable'>
type Facts = ComponentProps<typeof Totals>['facts']

interface Texts {
  title: string
  /** Its section of the guide. */
  about: string
  subject: string
  explained: Record<Shown, (codec: VideoCodec) => string>
  facts: (codec: VideoCodec) => Facts
}

const dollars = (amount: number) => <Dollars key="amount" amount={amount} />

const SHOWN: Record<DemandCodec, Texts> = {
  av1: {
    title: 'AV1',
    about: 'av1',
    subject: 'AV1',
    explained: {
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
    },
    facts: ({ stored, forecast }) =>
      stored
        ? [
            ['Size', formatBytes(stored.bytes)],
            ['Less than H.264', formatShare(1 - stored.bytes / stored.h264Bytes)],
            ['Saved so far', dollars(stored.saved)],
            ['Saves in 30 days', dollars(forecast.saving)],
            ['Storage, 30 days', dollars(forecast.storage)],
          ]
        : [
            ['Would save', dollars(forecast.saving)],
            ['Encoding', dollars(forecast.encoding)],
            ['Storage', dollars(forecast.storage)],
            ['Net, 30 days', dollars(forecast.net)],
          ],
  },
  h264: {
    title: 'H.264 preset',
    about: 'preset',
    subject: 'the slower preset',
    explained: {
      notWorth: ({ mode, preset }) =>
        mode === 'always'
          ? `Encoded with the fast preset of x264. Every video is encoded again with ${preset}, the newest first, while nothing else is being transcoded.`
          : `Encoded with the fast preset of x264. ${preset} would save more than it costs, and is decided about within a quarter of an hour.`,
      waiting: ({ preset }) =>
        `Will be encoded again with the preset ${preset}, to the same quality in fewer bytes, once nothing else is being transcoded.`,
      encoding: ({ preset }) => `Is being encoded again with the preset ${preset}. The video plays meanwhile.`,
      stored: ({ preset }) => `Encoded with the preset ${preset}: the same quality in fewer bytes.`,
      refused: ({ preset }) =>
        `Not encoded with the preset ${preset}: a rendition is a copy of the original, another encoder made it, or the quality cannot be measured.`,
      dropped: ({ preset }) =>
        `The preset ${preset} failed, or saved too little. The video stays as it is; it may be tried again after 90 days.`,
    },
    facts: ({ stored, forecast }) =>
      stored
        ? [
            ['Size', formatBytes(stored.bytes)],
            ['Less than before', formatShare(1 - stored.bytes / stored.h264Bytes)],
            ['Saved so far', dollars(stored.saved)],
            ['Saves in 30 days', dollars(forecast.saving)],
            ['Storage saved, 30 days', dollars(-forecast.storage)],
          ]
        : [
            ['Would save', dollars(forecast.saving)],
            ['Encoding', dollars(forecast.encoding)],
            ['Storage saved', dollars(-forecast.storage)],
            ['Net, 30 days', dollars(forecast.net)],
          ],
  },
}

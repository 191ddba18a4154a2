'use client'

import { Anchor, Group, Skeleton, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { DeliveredReport } from '#server/modules/analytics/delivered/delivered-report'
import { deliveredBytesOf, savedShare } from '#server/modules/analytics/delivered/delivered-schema'
import type { AskedRange } from '#server/platform/text/day-ranges'
import { CountChart } from '../../../_parts/traffic/TrafficCharts'
import { useTRPC } from '../../../_trpc/client'
import { ACCENT, PALETTE, SECONDARY } from '../../../_ui/chart/colors'
import { formatBytes, formatShare } from '../../../_ui/format'
import { Panel } from '../../../_ui/Panel'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { RenditionTable } from '../../../_ui/RenditionTable'
import { Totals } from '../../../_ui/Totals'
import classes from './DeliveredPanel.module.css'

interface Props {
  range: AskedRange
  /** Undefined for the whole account. */
  videoId?: string
  /** The choice of the range, where it is not elsewhere on the page. */
  children?: ReactNode
}

/** Shows the bytes that were delivered in a range of days, by codec, and what AV1 saved: of one video, or of the account. */
export function DeliveredPanel({ range, videoId, children }: Props) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(
    trpc.viewing.delivered.queryOptions(
      { ...range, ...(videoId && { videoId }) },
      { placeholderData: keepPreviousData, refetchInterval: 60_000 },
    ),
  )
  return (
    <Panel
      title="Delivered"
      action={
        <Group gap="sm">
          <Anchor href="/docs/processing#delivered" size="sm">
            How we count
          </Anchor>
          {children}
        </Group>
      }
    >
      {error && !data ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : data ? (
        <Delivered report={data} />
      ) : (
        <Skeleton height={300} />
      )}
    </Panel>
  )
}

function Delivered({ report }: { report: DeliveredReport }) {
  const { days, totals, previous, stored, unfinished, renditions } = report
  const bytes = days.map(deliveredBytesOf)
  const isEmpty = deliveredBytesOf(totals) + deliveredBytesOf(previous.totals) + stored.av1 === 0 && renditions.length === 0
  if (isEmpty)
    return (
      <Text size="sm" c="dimmed">
        {NOTHING}
      </Text>
    )
  return (
    <div className={classes.report}>
      <Totals facts={factsOf(report)} />
      {deliveredBytesOf(totals) + deliveredBytesOf(previous.totals) === 0 ? (
        <Text size="sm" c="dimmed">
          {NOTHING}
        </Text>
      ) : (
        <CountChart
          title="Bytes by codec"
          at={days.map(({ at }) => at)}
          series={SERIES.filter(({ name }) => name !== 'av1' || totals.av1 > 0 || stored.av1 > 0).map((one) => ({
            ...one,
            values: days.map((day) => day[one.name]),
          }))}
          values={bytes}
          before={previous.days.map(deliveredBytesOf)}
          unfinished={unfinished}
          format={formatBytes}
          formatTick={formatBytes}
        />
      )}
      {renditions.length > 0 && (
        <div className={classes.renditions}>
          <RenditionTable renditions={renditions} />
        </div>
      )}
    </div>
  )
}

const NOTHING = 'Nothing delivered in this period. What a CDN serves from its cache does not count.'

const SERIES = [
  { name: 'h264', label: 'H.264', color: ACCENT },
  { name: 'av1', label: 'AV1', color: PALETTE[1] as string },
  { name: 'audio', label: 'Audio', color: SECONDARY },
] as const

const factsOf = ({ totals, stored }: DeliveredReport) =>
  [
    ['H.264', formatBytes(totals.h264)],
    ['AV1', formatBytes(totals.av1)],
    ['Audio', formatBytes(totals.audio)],
    ['Saved by AV1', totals.saved === 0 ? formatBytes(0) : `${formatBytes(totals.saved)} (${formatShare(savedShare(totals))})`],
    [
      'Stored in AV1',
      <>
        {formatBytes(stored.av1)} <small>of {formatBytes(stored.all)}</small>
      </>,
    ],
  ] as const

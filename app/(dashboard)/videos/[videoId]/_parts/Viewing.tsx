'use client'

import { Skeleton, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { MAX_DAYS } from '#server/modules/analytics/limits'
import type { Viewing as Report } from '#server/modules/analytics/viewing/viewing-report'
import { type AskedRange, DAY_RANGES } from '#server/platform/text/day-ranges'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount, formatMs, formatShare } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { ErrorState } from '../../../../_ui/page/ErrorState'
import { RangePicker } from '../../../../_ui/range/RangePicker'
import { useRange } from '../../../../_ui/range/use-range'
import { Totals } from '../../../../_ui/Totals'
import { Audience } from './Audience'
import { ViewingCharts } from './ViewingCharts'

/** Shows how the video was watched, as players report it, by UTC day. */
export function Viewing({ videoId, initialRange }: { videoId: string; initialRange: AskedRange }) {
  const trpc = useTRPC()
  const [range, setRange] = useRange(initialRange)
  const { data, error, refetch } = useQuery(
    trpc.viewing.report.queryOptions({ videoId, ...range }, { placeholderData: keepPreviousData, staleTime: 30_000 }),
  )
  return (
    <Panel title="Viewing" action={<RangePicker size="xs" presets={DAY_RANGES} maxDays={MAX_DAYS} value={range} onChange={setRange} />}>
      {error && !data ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={500} />
      ) : data.totals.plays === 0 && data.totals.errors === 0 ? (
        <Text size="sm" c="dimmed">
          No plays in this period. Only the embed player reports viewing, and the preview in the dashboard does not count.
        </Text>
      ) : (
        <Stack gap="lg">
          <Totals facts={factsOf(data)} />
          <ViewingCharts report={data} />
          <Audience videoId={videoId} from={data.from} to={data.to} />
        </Stack>
      )}
    </Panel>
  )
}

/** Returns the figures that no chart below shows with its title. */
const factsOf = ({ totals }: Report) =>
  [
    ['Median startup time', formatMs(totals.startupP50)],
    ['p95 startup time', formatMs(totals.startupP95)],
    ['Rebuffering', formatShare(totals.rebufferRatio)],
    ['Errors', formatCount(totals.errors)],
  ] as const

'use client'

import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { MAX_DAYS } from '#server/modules/analytics/limits'
import { DAY_RANGES, type DayRangeName } from '#server/platform/text/day-ranges'
import type { EndpointName } from '../../../../_endpoints'
import { useTRPC } from '../../../../_trpc/client'
import { Link } from '../../../../_ui/Link'
import { Panel } from '../../../../_ui/Panel'
import { ErrorState } from '../../../../_ui/page/ErrorState'
import { RangePicker } from '../../../../_ui/range/RangePicker'
import type { RangeValue } from '../../../../_ui/range/range-text'
import { Breakdown } from './Breakdown'
import { KeyCharts } from './KeyCharts'
import classes from './KeyUsage.module.css'

export type KeyRange = RangeValue<DayRangeName>

interface Props {
  keyId: string
  endpoints: EndpointName[]
  range: KeyRange
  onRange: (range: KeyRange) => void
}

/** Shows a key's usage: requests by endpoint and status, tokens, and response times. Days and hours are UTC. */
export function KeyUsage({ keyId, endpoints, range, onRange }: Props) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(
    trpc.traffic.key.queryOptions({ keyId, ...range }, { placeholderData: keepPreviousData, refetchInterval: 30_000 }),
  )
  return (
    <Panel title="Usage" action={<RangePicker size="xs" presets={DAY_RANGES} maxDays={MAX_DAYS} value={range} onChange={onRange} />}>
      {error && !data ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={388} />
      ) : data.totals.requests === 0 && data.totals.issued === 0 ? (
        <Text size="sm" c="dimmed">
          No requests with this key in this period. Charts appear after the first request.
        </Text>
      ) : (
        <Stack gap="lg">
          <KeyCharts keyId={keyId} usage={data} />
          <Breakdown keyId={keyId} usage={data} endpoints={endpoints} />
          <Anchor component={Link} href={`/requests?keyId=${keyId}`} size="sm" className={classes.more}>
            View requests of the last 7 days
          </Anchor>
        </Stack>
      )}
    </Panel>
  )
}

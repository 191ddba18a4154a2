'use client'

import { Anchor, Skeleton, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EndpointName } from '../../../../_endpoints'
import { useTRPC } from '../../../../_trpc/client'
import { ErrorState } from '../../../../_ui/ErrorState'
import { Link } from '../../../../_ui/Link'
import { Panel } from '../../../../_ui/Panel'
import { ReportControls } from '../../../../_ui/ReportControls'
import { Breakdown } from './Breakdown'
import { KeyCharts } from './KeyCharts'
import classes from './KeyUsage.module.css'

type Days = 1 | 7 | 30
const RANGES = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
]

/** Shows a key's usage: requests by endpoint and status, tokens, and response times. Days and hours are UTC. */
export function KeyUsage({ keyId, endpoints }: { keyId: string; endpoints: EndpointName[] }) {
  const trpc = useTRPC()
  const [days, setDays] = useState<Days>(7)
  const { data, error, refetch } = useQuery(
    trpc.traffic.key.queryOptions({ keyId, days }, { placeholderData: keepPreviousData, refetchInterval: 30_000 }),
  )
  return (
    <Panel title="Usage" action={<ReportControls ranges={RANGES} days={days} onDays={setDays} />}>
      {error && !data ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={388} />
      ) : data.totals.requests === 0 && data.totals.issued === 0 ? (
        <p className={classes.none}>No requests with this key in this period. Charts appear after the first request.</p>
      ) : (
        <Stack gap="lg">
          <KeyCharts keyId={keyId} usage={data} />
          <Breakdown usage={data} endpoints={endpoints} />
          <Anchor component={Link} href={`/requests?keyId=${keyId}`} size="sm" className={classes.more}>
            View requests of the last 7 days
          </Anchor>
        </Stack>
      )}
    </Panel>
  )
}

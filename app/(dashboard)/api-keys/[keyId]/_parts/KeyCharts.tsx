'use client'

import type { KeyUsage } from '#server/modules/analytics/key-usage'
import { ErrorRateChart, RequestsChart, TokensChart } from '../../../../_parts/traffic/TrafficCharts'
import { ACCENT, SECONDARY } from '../../../../_ui/chart/colors'
import { formatMs } from '../../../../_ui/format'
import { LazyChart } from '../../../../_ui/LazyChart'
import { useOpenRequests } from '../../../_parts/use-open-requests'
import classes from './KeyUsage.module.css'

/** Draws one quantity per chart; a click opens the requests of the key in the log. */
export function KeyCharts({ keyId, usage: { points, totals, previous, unfinished } }: { keyId: string; usage: KeyUsage }) {
  const open = useOpenRequests({ keyId })
  const openFailed = useOpenRequests({ keyId, outcome: 'failed' })
  const traffic = { points, unfinished, previous: previous ?? undefined }
  return (
    <div className={classes.charts}>
      <RequestsChart {...traffic} {...open} />
      <TokensChart {...traffic} {...open} total={totals.issued} />
      <ErrorRateChart {...traffic} {...openFailed} />
      <LazyChart
        title="Latency"
        kind="lines"
        at={points.map(({ at }) => at)}
        series={[
          { name: 'p50', label: 'Median', color: ACCENT, values: points.map(({ p50 }) => p50) },
          { name: 'p95', label: 'p95', color: SECONDARY, values: points.map(({ p95 }) => p95) },
        ]}
        value={formatMs(totals.p50)}
        previous={
          previous?.some(({ p50 }) => p50 !== null)
            ? { label: 'Previous median', values: previous.slice(0, points.length).map(({ p50 }) => p50) }
            : undefined
        }
        unfinished={unfinished}
        format={formatMs}
        {...open}
      />
    </div>
  )
}

'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { RequestFilter } from '#server/modules/analytics/schema'
import { useTRPC } from '../../../_trpc/client'
import { formatCount, formatMinute } from '../../../_ui/format'
import { useTimeZone } from '../../../_ui/time-zone'
import classes from './Requests.module.css'

interface Props {
  filter: RequestFilter
  live: boolean
  onChange: (outcome: string | undefined) => void
}

/**
 * Shows the exact number of requests with each status, of which the log below is a sample; each filters the log. Requests with a refused key
 * or to an unknown path are in the log alone. Nothing under filters that the counters do not know: video, address and text.
 */
export function StatusCounts({ filter, live, onChange }: Props) {
  const { keyId, operation, range, from, to, outcome, videoId, address, search } = filter
  const isCounted = !videoId && !address && !search
  const trpc = useTRPC()
  const [zone] = useTimeZone()
  const { data } = useQuery(
    trpc.traffic.requestCounts.queryOptions(
      { keyId, operation, range, from, to },
      { enabled: isCounted, placeholderData: keepPreviousData, refetchInterval: live ? 10_000 : false },
    ),
  )
  if (!isCounted || !data || data.statuses.length === 0) return null
  const total = data.statuses.reduce((sum, { requests }) => sum + requests, 0)
  const end = data.to.getTime() >= Date.now() ? 'now' : formatMinute(data.to, zone)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a layout of its own in every browser
    <div className={classes.counts} role="group" aria-label="Requests by status">
      <span className={classes.total}>
        <b>{formatCount(total)}</b> {total === 1 ? 'request' : 'requests'}
      </span>
      {data.statuses.map(({ status, requests }) => (
        <button
          key={status}
          type="button"
          className={classes.count}
          data-class={Math.floor(status / 100)}
          aria-pressed={outcome === String(status)}
          onClick={() => onChange(outcome === String(status) ? undefined : String(status))}
        >
          <i aria-hidden="true" />
          {status} <b>{formatCount(requests)}</b>
        </button>
      ))}
      <span className={classes.span}>
        Exact for accepted keys and known endpoints, {formatMinute(data.from, zone)} – {end}, whole hours
      </span>
    </div>
  )
}

'use client'

import { Anchor, Button, Group, Skeleton, Stack } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { IconDownload, IconListSearch, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import dynamic from 'next/dynamic'
import { usePathname } from 'next/navigation'
import { useEffect, useState } from 'react'
import type { RequestFilter } from '#server/modules/analytics/schema'
import type { EndpointName } from '../../../_endpoints'
import { Link } from '../../../_ui/Link'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { searchFrom } from '../../../_ui/SearchHint'
import { ShowMore } from '../../../_ui/ShowMore'
import { useShortcutsOn } from '../../_parts/palette/use-shortcuts'
import { Filters } from './Filters'
import { searchOf } from './filter'
import classes from './Requests.module.css'
import { RequestTable } from './RequestTable'
import { StatusCounts } from './StatusCounts'
import { useRequests } from './use-requests'

// Not visible before a call is chosen.
const RequestPanel = dynamic(() => import('./RequestPanel').then((module) => module.RequestPanel), { ssr: false })

const PLACE = '/requests'
/** The next page loads when this many rows, or fewer, follow the open one. */
const ROWS_AHEAD = 4

/** Shows the log of calls to the public API, live, and the explanation of one next to it. */
export function Requests({ initialFilter, endpoints }: { initialFilter: RequestFilter; endpoints: EndpointName[] }) {
  const [filter, setFilter] = useState(initialFilter)
  const [search] = useDebouncedValue(searchFrom(filter.search), 250)
  const [live, setLive] = useState(true)
  const shown = { ...filter, search }
  const { query, requests, connected } = useRequests(shown, live)
  const path = usePathname()
  const openId = path.startsWith(`${PLACE}/`) ? path.slice(PLACE.length + 1) : undefined

  const goTo = (requestId?: string, how: 'pushState' | 'replaceState' = 'pushState') =>
    window.history[how](null, '', `${PLACE}${requestId ? `/${requestId}` : ''}${searchOf(filter)}`)
  const position = requests.findIndex(({ id }) => id === openId)
  /** Goes to a neighbour in the log. Steps are one entry of the history, so that Back closes the panel. */
  const stepTo = (at: number) => {
    const id = openId && position < 0 ? undefined : requests[at]?.id
    return id === undefined ? undefined : () => goTo(id, openId ? 'replaceState' : 'pushState')
  }
  const [previous, next] = [stepTo(position - 1), stepTo(position + 1)]
  // Loads before the last row, so that the next step has somewhere to go.
  const { hasNextPage, fetchNextPage } = query
  const isNearEnd = openId !== undefined && position >= 0 && requests.length - 1 - position <= ROWS_AHEAD
  useEffect(() => {
    if (isNearEnd && hasNextPage) void fetchNextPage()
  }, [isNearEnd, hasNextPage, fetchNextPage])
  const [shortcutsOn] = useShortcutsOn()
  const steps: [string, () => void][] = [
    ['k', () => previous?.()],
    ['ArrowLeft', () => previous?.()],
    ['j', () => next?.()],
    ['ArrowRight', () => next?.()],
  ]
  // Arrow keys scroll code.
  useHotkeys(shortcutsOn ? steps : [], ['INPUT', 'TEXTAREA', 'SELECT', 'PRE'])
  const choose = (wanted: RequestFilter) => {
    setFilter(wanted)
    window.history.replaceState(null, '', `${window.location.pathname}${searchOf(wanted)}`)
  }
  const isFiltered = Object.values(shown).some(Boolean)
  const most = Math.max(1, ...requests.map(({ status, weight }) => (status < 400 ? weight : 1)))

  return (
    <>
      <PageHeader
        title="Requests"
        purpose="API requests of the last 7 days, with the reason for each response."
        action={
          <Group gap="xs">
            <Button
              component="a"
              href={`/api/requests/csv${searchOf(shown)}`}
              download
              variant="default"
              leftSection={<IconDownload size={15} />}
            >
              Export CSV
            </Button>
            <Button
              variant="default"
              onClick={() => setLive(!live)}
              leftSection={live ? <IconPlayerPause size={15} /> : <IconPlayerPlay size={15} />}
              rightSection={<span className={classes.live} data-on={(live && connected) || undefined} />}
            >
              {live ? 'Pause' : 'Follow live'}
            </Button>
          </Group>
        }
      />
      <Filters filter={filter} onChange={choose} endpoints={endpoints} />
      <StatusCounts filter={shown} live={live && connected} onChange={(outcome) => choose({ ...filter, outcome })} />
      {most > 1 && (
        <p className={classes.sampled}>
          This log is a sample: it keeps 1 in {Math.ceil(most)} requests of the busiest second. Marked rows stand for several requests.{' '}
          <Anchor component={Link} href="/docs/request-log#sampling" inherit underline="always">
            Learn about sampling
          </Anchor>
        </p>
      )}
      <Stack gap="md">
        {query.isPending ? (
          <Skeleton height={400} />
        ) : query.isError && requests.length === 0 ? (
          <ErrorState message={query.error.message} requestId={query.error.data?.requestId} onRetry={() => void query.refetch()} />
        ) : requests.length > 0 ? (
          <RequestTable requests={requests} openId={openId} hrefOf={(id) => `${PLACE}/${id}${searchOf(filter)}`} onOpen={goTo} />
        ) : isFiltered ? (
          <EmptyState
            framed
            icon={<IconListSearch size={20} />}
            title="No matching requests"
            action={
              <Button variant="default" onClick={() => choose({})}>
                Clear filters
              </Button>
            }
          >
            Search by a full request ID or token ID, or by part of a path, an IP address or a user agent.
          </EmptyState>
        ) : (
          <EmptyState
            framed
            icon={<IconListSearch size={20} />}
            title="No requests yet"
            action={
              <Button component={Link} href="/docs" variant="default">
                Read the quick start
              </Button>
            }
          >
            Requests to /v1 appear here within seconds, each with the reason for its response.
          </EmptyState>
        )}
        <ShowMore query={query} />
      </Stack>
      <RequestPanel requestId={openId} endpoints={endpoints} onClose={() => goTo()} onPrevious={previous} onNext={next} />
    </>
  )
}

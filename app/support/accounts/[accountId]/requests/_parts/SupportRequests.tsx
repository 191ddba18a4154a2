'use client'

import { Button, SegmentedControl, TextInput, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconListSearch, IconSearch, IconX } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedRequest } from '#server/modules/analytics/requests/list-requests'
import { useTRPC } from '../../../../../_trpc/client'
import { useEntered } from '../../../../../_ui/form/entered'
import { formatMs } from '../../../../../_ui/format'
import { Link } from '../../../../../_ui/Link'
import { EmptyState } from '../../../../../_ui/page/EmptyState'
import { RelativeTime } from '../../../../../_ui/RelativeTime'
import { searchFrom, searchHint } from '../../../../../_ui/SearchHint'
import { type Column, Table } from '../../../../../_ui/Table'
import classes from '../../../../_parts/Lists.module.css'
import { PagedList } from '../../../../_parts/PagedList'
import { CallStatus } from '../../_parts/CallStatus'

const OUTCOMES = [
  { value: 'all', label: 'All' },
  { value: 'failed', label: 'Failed' },
  { value: '4xx', label: '4xx' },
  { value: '5xx', label: '5xx' },
]

/** Lists an account's requests of the last 7 days. */
export function SupportRequests({ accountId, initialKey }: { accountId: string; initialKey: string | undefined }) {
  const trpc = useTRPC()
  const [keyId, setKeyId] = useState(initialKey)
  const showAllKeys = () => {
    setKeyId(undefined)
    window.history.replaceState(null, '', window.location.pathname)
  }
  const [outcome, setOutcome] = useState('all')
  const [typed, setTyped] = useState('')
  const field = useEntered(setTyped)
  const [search] = useDebouncedValue(searchFrom(typed), 250)
  const query = useInfiniteQuery(
    trpc.support.requests.infiniteQueryOptions(
      { accountId, keyId, outcome: outcome === 'all' ? undefined : outcome, search },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, placeholderData: keepPreviousData },
    ),
  )
  const requests = query.data?.pages.flatMap((page) => page.requests) ?? []
  const columns: Column<ListedRequest>[] = [
    {
      title: 'Request',
      phone: 'wide',
      cell: ({ id, method, path }) => (
        <Link
          href={`/support/accounts/${accountId}/requests/${id}`}
          prefetch={false}
          className={`${classes.link} ${classes.code} ${classes.path} rg-row-link`}
        >
          {method} {path}
        </Link>
      ),
    },
    { title: 'Response', phone: 'bare', cell: (call) => <CallStatus status={call.status} code={call.code} /> },
    {
      title: 'Key',
      cell: ({ keyName }) =>
        keyName === null ? (
          '–'
        ) : (
          <Link href={`/support/accounts/${accountId}/keys`} prefetch={false} className={`${classes.link} rg-touch`}>
            {keyName}
          </Link>
        ),
    },
    {
      title: 'Video',
      cell: ({ videoId, videoTitle }) =>
        videoTitle === null ? (
          '–'
        ) : (
          <Link href={`/support/accounts/${accountId}/videos/${videoId}`} prefetch={false} className={`${classes.link} rg-touch`}>
            {videoTitle}
          </Link>
        ),
    },
    { title: 'Duration', number: true, cell: ({ durationMs }) => formatMs(durationMs) },
    { title: 'Time', cell: ({ at }) => <RelativeTime date={at} /> },
  ]
  return (
    <>
      <div className={classes.bar}>
        <SegmentedControl aria-label="Status" data={OUTCOMES} value={outcome} onChange={setOutcome} size="xs" />
        {keyId && (
          <Button size="compact-sm" variant="default" mr="auto" rightSection={<IconX size={13} />} onClick={showAllKeys}>
            {requests.find(({ keyName }) => keyName !== null)?.keyName ?? 'One key'}
            <VisuallyHidden>: show requests with all keys</VisuallyHidden>
          </Button>
        )}
        <div className={classes.search}>
          <TextInput
            ref={field}
            aria-label="Search requests"
            inputWrapperOrder={['label', 'input', 'description']}
            description={searchHint(typed)}
            placeholder="ID, path, IP address or user agent"
            leftSection={<IconSearch size={15} />}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </div>
      </div>
      <PagedList
        query={query}
        rows={requests}
        empty={
          <EmptyState framed icon={<IconListSearch size={20} />} title="No requests found">
            {search || keyId || outcome !== 'all'
              ? 'No requests in the last 7 days match this search, key and status.'
              : 'This account made no requests in the last 7 days.'}
          </EmptyState>
        }
      >
        <Table label="Requests" columns={columns} rows={requests} keyOf={({ id }) => id} />
      </PagedList>
    </>
  )
}

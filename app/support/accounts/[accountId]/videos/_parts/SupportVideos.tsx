'use client'

import { SegmentedControl, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconMovie, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useTRPC } from '../../../../../_trpc/client'
import { useEntered } from '../../../../../_ui/form/entered'
import { formatBytes, formatDuration } from '../../../../../_ui/format'
import { IdChip } from '../../../../../_ui/IdChip'
import { Link } from '../../../../../_ui/Link'
import { EmptyState } from '../../../../../_ui/page/EmptyState'
import { RelativeTime } from '../../../../../_ui/RelativeTime'
import { type Column, Table } from '../../../../../_ui/Table'
import classes from '../../../../_parts/Lists.module.css'
import { PagedList } from '../../../../_parts/PagedList'
import { VideoState } from '../../_parts/VideoState'
import { FILTERS, type Filter } from './filters'

/** Lists and searches an account's videos. */
export function SupportVideos({ accountId, initial }: { accountId: string; initial: Filter }) {
  const trpc = useTRPC()
  const [filter, setFilter] = useState<Filter>(initial)
  const choose = (chosen: Filter) => {
    setFilter(chosen)
    window.history.replaceState(null, '', chosen === 'ALL' ? window.location.pathname : `?filter=${chosen}`)
  }
  const [typed, setTyped] = useState('')
  const field = useEntered(setTyped)
  const [search] = useDebouncedValue(typed.trim(), 250)
  const query = useInfiniteQuery(
    trpc.support.videos.infiniteQueryOptions(
      { accountId, filter: filter === 'ALL' ? undefined : filter, search: search || undefined },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, placeholderData: keepPreviousData },
    ),
  )
  const videos = query.data?.pages.flatMap((page) => page.videos) ?? []
  const columns: Column<DashboardVideo>[] = [
    {
      title: 'Title',
      phone: 'wide',
      cell: ({ id, title }) => (
        <div className={classes.lead}>
          <Link href={`/support/accounts/${accountId}/videos/${id}`} prefetch={false} className={`${classes.link} rg-row-link`}>
            {title}
          </Link>
          <IdChip id={id} />
        </div>
      ),
    },
    {
      title: 'Status',
      phone: 'bare',
      cell: (video) => (
        <>
          <VideoState status={video.status} deleted={video.deletedAt !== null} takenDown={video.takenDownAt !== null} />
          {video.failureReason && <div className={classes.reason}>{video.failureReason}</div>}
        </>
      ),
    },
    { title: 'Quality', cell: ({ qualities, targetQuality }) => qualities[0] ?? targetQuality },
    { title: 'Duration', number: true, cell: ({ durationSec }) => (durationSec > 0 ? formatDuration(durationSec) : '–') },
    { title: 'Size', number: true, cell: ({ sourceBytes }) => formatBytes(sourceBytes) },
    { title: 'Uploaded', cell: ({ createdAt }) => <RelativeTime date={createdAt} /> },
  ]
  return (
    <>
      <div className={classes.bar}>
        <SegmentedControl aria-label="Status" data={FILTERS} value={filter} onChange={choose} size="xs" />
        <TextInput
          className={classes.search}
          ref={field}
          aria-label="Search videos"
          placeholder="Search by title or ID"
          leftSection={<IconSearch size={15} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <PagedList
        query={query}
        rows={videos}
        empty={
          <EmptyState framed icon={<IconMovie size={20} />} title="No videos found">
            {search || filter !== 'ALL' ? 'No videos match this search and status.' : 'This account has not uploaded any videos.'}
          </EmptyState>
        }
      >
        <Table label="Videos" columns={columns} rows={videos} keyOf={({ id }) => id} muted={({ deletedAt }) => deletedAt !== null} />
      </PagedList>
    </>
  )
}

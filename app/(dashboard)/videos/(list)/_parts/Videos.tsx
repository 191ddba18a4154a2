'use client'

import { Skeleton, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconMovie, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useEffect, useState } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { writeListQuery } from '#server/modules/videos/address-schema'
import type { ListFilter, ListQuery } from '#server/modules/videos/list/list-schema'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount } from '../../../../_ui/format'
import { EmptyState } from '../../../../_ui/page/EmptyState'
import { ErrorState } from '../../../../_ui/page/ErrorState'
import { PageHeader } from '../../../../_ui/page/PageHeader'
import { ShowMore } from '../../../../_ui/ShowMore'
import type { Column } from '../../../../_ui/Table'
import { useMay } from '../../../_parts/permissions'
import { UploadButton } from '../../../_parts/UploadButton'
import { useUploads } from '../../../_parts/uploads/uploads'
import { VideoMenus } from '../../../_parts/VideoMenus'
import { VideoTable } from '../../../_parts/VideoTable'
import { VideoTabs } from '../../_parts/VideoTabs'
import { ActiveFilters } from './ActiveFilters'
import { BulkBar } from './BulkBar'
import { FilterBar } from './FilterBar'
import { type Layout, writeLayout } from './layout'
import { SelectBox } from './SelectBox'
import { useListQuery } from './use-list-query'
import { type Selection, useSelection } from './use-selection'
import { VideoGrid } from './VideoGrid'

// Loaded when they are shown: the page starts without them. What the server renders is not among them: while the page becomes live it
// would be hidden until it is loaded, and a click on what moves then is lost. Nor is the bar of selected videos: it would arrive under the
// pointer that is on its way to the next box.
const BulkStatus = dynamic(() => import('./BulkStatus').then((module) => module.BulkStatus), { ssr: false })

import classes from './Videos.module.css'

const NOTHING: Record<ListFilter, string> = {
  PENDING: 'No videos are waiting to be transcoded.',
  PROCESSING: 'No videos are being transcoded.',
  COMPLETED: 'No completed videos.',
  FAILED: 'No failed videos.',
  DELETED: 'No deleted videos. You can restore a deleted video for 7 days.',
}

/** Lists every video of the account. `initial` is the filter and order of the address. */
export function Videos({ initial, initialLayout }: { initial: ListQuery; initialLayout: Layout }) {
  const trpc = useTRPC()
  const [query, change, replace] = useListQuery(initial)
  const [layout, setLayout] = useState(initialLayout)
  const [typed, setTyped] = useState(initial.search ?? '')
  const [settled] = useDebouncedValue(typed.trim(), 250)
  const list = useInfiniteQuery(
    trpc.video.list.infiniteQueryOptions(query, {
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      placeholderData: keepPreviousData,
    }),
  )
  useFileDrop()
  const mayChange = useMay('videos.change')
  const videos = list.data?.pages.flatMap((page) => page.videos) ?? []
  const selection = useSelection(
    videos.map(({ id }) => id),
    writeListQuery({ ...query, sort: undefined }),
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed changes the query, not the other way
  useEffect(() => change({ search: settled || undefined }), [settled])
  // A link of a tag leads to this page as well.
  const address = writeListQuery(initial)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation alone changes it
  useEffect(() => setTyped(initial.search ?? ''), [address])
  const follow = (next: ListQuery) => {
    setTyped(next.search ?? '')
    replace(next)
  }
  const draw = (next: Layout) => {
    setLayout(next)
    // biome-ignore lint/suspicious/noDocumentCookie: the server reads it; the Cookie Store API is not in every browser
    document.cookie = writeLayout(next)
  }

  return (
    <>
      <PageHeader
        title="Videos"
        purpose="Upload videos, track transcoding, and copy the video IDs that your backend needs."
        action={<UploadButton />}
      />
      <VideoTabs here="/videos" />
      <FilterBar
        {...{ query, typed, layout }}
        onChange={change}
        onReplace={follow}
        onType={setTyped}
        onLayout={draw}
        isEmpty={list.isSuccess && videos.length === 0 && Object.keys(query).length === 0 && typed === ''}
      />
      {isNarrowed(query) && <ActiveFilters query={query} onChange={change} />}
      <Stack gap="md">
        <BulkStatus mayChange={mayChange} />
        <VideoMenus videos={videos}>
          {list.isPending ? (
            <LoadingRows />
          ) : list.isError && videos.length === 0 ? (
            <ErrorState message={list.error.message} requestId={list.error.data?.requestId} onRetry={() => void list.refetch()} />
          ) : videos.length === 0 ? (
            <Nothing query={query} />
          ) : layout.view === 'grid' ? (
            <VideoGrid videos={videos} selection={selection} dense={layout.dense} />
          ) : (
            <VideoTable videos={videos} selecting={selecting(selection, videos.length)} dense={layout.dense} />
          )}
        </VideoMenus>
        <ShowMore query={list}>
          <Shown query={query} count={videos.length} />
        </ShowMore>
        {selection.count > 0 && (
          <BulkBar query={query} videos={videos} selection={selection} hasMore={list.hasNextPage} mayChange={mayChange} />
        )}
      </Stack>
    </>
  )
}

/** Whether a filter of the popover is set. */
const isNarrowed = ({ externalId, transcript, metadata, range, from, to }: ListQuery) =>
  Boolean(externalId || transcript || metadata || range || from || to)

function selecting(selection: Selection, loaded: number) {
  const { ids, toggle, toggleLoaded } = selection
  const column: Column<DashboardVideo> = {
    title: 'Select',
    phone: 'lead',
    heading: (
      <SelectBox
        label="Select all loaded videos"
        checked={ids.size === loaded}
        indeterminate={ids.size > 0 && ids.size < loaded}
        onToggle={toggleLoaded}
      />
    ),
    cell: ({ id, title }) => <SelectBox label={`Select ${title}`} checked={ids.has(id)} onToggle={(isRange) => toggle(id, isRange)} />,
  }
  return { column, isSelected: ({ id }: DashboardVideo) => ids.has(id) }
}

function Nothing({ query }: { query: ListQuery }) {
  const { filter, search, sort: _, ...others } = query
  const isFiltered = Object.keys(others).length > 0
  if (!filter && !search && !isFiltered) {
    return (
      <div className={classes.none}>
        <EmptyState icon={<IconMovie size={20} />} title="No videos yet" action={<UploadButton />}>
          Upload a video. We transcode it into several qualities and encrypt it for playback.
        </EmptyState>
      </div>
    )
  }
  return (
    <div className={classes.none}>
      <EmptyState icon={<IconSearch size={20} />} title={search ? `No results for “${search}”` : 'No videos'}>
        {search
          ? 'Search by part of a title, or by a full video ID.'
          : filter && !isFiltered
            ? NOTHING[filter]
            : others.collection && Object.keys(others).length === 1
              ? 'No videos in this collection match. Add videos to it from their pages, or through the API.'
              : 'No videos match these filters. Remove a filter to see more.'}
      </EmptyState>
    </div>
  )
}

function LoadingRows() {
  return (
    <Stack gap={1} aria-busy="true" aria-label="Loading videos">
      {['a', 'b', 'c', 'd'].map((row) => (
        <Skeleton key={row} height={58} />
      ))}
    </Stack>
  )
}

/** Says how many of the matching videos are loaded. */
function Shown({ query: { sort: _, ...selection }, count }: { query: ListQuery; count: number }) {
  const trpc = useTRPC()
  const { data } = useQuery(
    trpc.library.count.queryOptions(selection, { staleTime: 10_000, refetchInterval: 30_000, placeholderData: keepPreviousData }),
  )
  if (!data) return null
  return `${formatCount(count)} of ${data.atLeast ? 'more than ' : ''}${formatCount(data.count)} videos`
}

/** Opens the upload dialog when a file is dragged over the page, to be dropped there. */
function useFileDrop(): void {
  const { openDialog } = useUploads()
  const mayUpload = useMay('videos.change')
  useEffect(() => {
    if (!mayUpload) return
    const enter = (event: DragEvent) => {
      const hasFile = event.dataTransfer?.types.includes('Files')
      if (hasFile && !document.querySelector('[role=dialog]')) openDialog()
    }
    window.addEventListener('dragenter', enter)
    return () => window.removeEventListener('dragenter', enter)
  }, [openDialog, mayUpload])
}

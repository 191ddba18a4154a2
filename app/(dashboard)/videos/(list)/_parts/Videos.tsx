'use client'

import { SegmentedControl, Select, Skeleton, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconMovie, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ListSort } from '#server/modules/videos/schema'
import { useTRPC } from '../../../../_trpc/client'
import { EmptyState } from '../../../../_ui/EmptyState'
import { ErrorState } from '../../../../_ui/ErrorState'
import { PageHeader } from '../../../../_ui/PageHeader'
import { ShowMore } from '../../../../_ui/ShowMore'
import { useMay } from '../../../_parts/permissions'
import { UploadButton } from '../../../_parts/UploadButton'
import { useUploads } from '../../../_parts/uploads/uploads'
import { VideoTable } from '../../../_parts/VideoTable'
import { CollectionFilter } from './CollectionFilter'
import classes from './Videos.module.css'

export type Filter = 'PROCESSING' | 'COMPLETED' | 'FAILED' | 'DELETED' | 'PENDING'

const FILTERS: { value: Filter | 'ALL'; label: string }[] = [
  { value: 'ALL', label: 'All' },
  { value: 'PENDING', label: 'Pending' },
  { value: 'PROCESSING', label: 'Processing' },
  { value: 'COMPLETED', label: 'Completed' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'DELETED', label: 'Deleted' },
]

const SORTS: { value: ListSort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'title', label: 'Title' },
  { value: 'longest', label: 'Longest first' },
]

const NOTHING: Record<Filter, string> = {
  PENDING: 'No videos are waiting to be transcoded.',
  PROCESSING: 'No videos are being transcoded.',
  COMPLETED: 'No videos have completed transcoding.',
  FAILED: 'No videos have failed.',
  DELETED: 'No deleted videos. Deleted videos can be restored for 7 days.',
}

interface Shown {
  filter: Filter | undefined
  sort: ListSort | undefined
  search: string | undefined
  collection: string | undefined
}

/** Lists every video of the account. `initial` is the filter and order of the address. */
export function Videos({ initial }: { initial: Shown }) {
  const trpc = useTRPC()
  const [filter, setFilter] = useState(initial.filter)
  const [sort, setSort] = useState(initial.sort)
  const [collection, setCollection] = useState(initial.collection)
  const [typed, setTyped] = useState(initial.search ?? '')
  const [settled] = useDebouncedValue(typed.trim(), 250)
  const search = settled || undefined
  const query = useInfiniteQuery(
    trpc.video.list.infiniteQueryOptions(
      { filter, sort, search, collection },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, placeholderData: keepPreviousData },
    ),
  )
  useFileDrop()
  const videos = query.data?.pages.flatMap((page) => page.videos) ?? []

  // The address holds the filter, so that it can be bookmarked and shared.
  useEffect(() => {
    const shown = Object.entries({ filter, sort, search, collection }).flatMap(([name, value]) => (value ? [[name, value]] : []))
    const address = shown.length > 0 ? `?${new URLSearchParams(shown)}` : ''
    if (address !== window.location.search) window.history.replaceState(null, '', address || window.location.pathname)
  }, [filter, sort, search, collection])
  const choose = (value: Filter | 'ALL') => setFilter(value === 'ALL' ? undefined : value)
  const order = (value: ListSort | null) => setSort(value === 'newest' ? undefined : (value ?? undefined))

  return (
    <>
      <PageHeader
        title="Videos"
        purpose="Upload videos, track transcoding, and copy the video IDs that your backend needs."
        action={<UploadButton />}
      />
      <div className={classes.bar}>
        <SegmentedControl aria-label="Status" data={FILTERS} value={filter ?? 'ALL'} onChange={choose} size="xs" />
        <CollectionFilter chosen={collection} onChoose={setCollection} />
        <Select
          className={classes.sort}
          aria-label="Sort"
          data={SORTS}
          value={sort ?? 'newest'}
          onChange={order}
          allowDeselect={false}
          checkIconPosition="right"
        />
        <TextInput
          className={classes.search}
          aria-label="Search videos"
          placeholder="Search by title or ID"
          leftSection={<IconSearch size={15} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <Stack gap="md">
        {query.isPending ? (
          <LoadingRows />
        ) : query.isError && videos.length === 0 ? (
          <ErrorState message={query.error.message} requestId={query.error.data?.requestId} onRetry={() => void query.refetch()} />
        ) : videos.length > 0 ? (
          <VideoTable videos={videos} />
        ) : (
          <div className={classes.none}>
            {filter || search || collection ? (
              <EmptyState icon={<IconSearch size={20} />} title={search ? `No results for “${search}”` : 'No videos'}>
                {search
                  ? 'Search by part of a title, or by a full video ID.'
                  : filter && !collection
                    ? NOTHING[filter]
                    : 'The collection has no such videos. Add one from the page of the video, or through the API.'}
              </EmptyState>
            ) : (
              <EmptyState icon={<IconMovie size={20} />} title="No videos yet" action={<UploadButton />}>
                Upload a video. It is transcoded into several qualities and encrypted for playback.
              </EmptyState>
            )}
          </div>
        )}
        <ShowMore query={query} />
      </Stack>
    </>
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

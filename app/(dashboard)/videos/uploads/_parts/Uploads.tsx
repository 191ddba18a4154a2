'use client'

import { Anchor, Button, SegmentedControl, Stack } from '@mantine/core'
import { IconCloudDownload, IconUpload } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { DashboardUpload } from '#server/modules/dashboard/list-uploads'
import type { UploadGroup } from '#server/modules/dashboard/uploads-schema'
import { useTRPC } from '../../../../_trpc/client'
import { EmptyState } from '../../../../_ui/page/EmptyState'
import { ErrorState } from '../../../../_ui/page/ErrorState'
import { PageHeader } from '../../../../_ui/page/PageHeader'
import { ShowMore } from '../../../../_ui/ShowMore'
import { useDialog } from '../../../../_ui/use-dialog'
import { useMay } from '../../../_parts/permissions'
import { useUploads } from '../../../_parts/uploads/uploads'
import { VideoTabs } from '../../_parts/VideoTabs'
import classes from './Uploads.module.css'
import { UploadTable } from './UploadTable'

const ImportAgainDialog = dynamic(() => import('./ImportAgainDialog').then((module) => module.ImportAgainDialog), { ssr: false })

const GROUPS: { value: UploadGroup | 'ALL'; label: string }[] = [
  { value: 'ALL', label: 'All' },
  { value: 'open', label: 'In progress' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'expired', label: 'Expired' },
]

const NOTHING: Record<UploadGroup, string> = {
  open: 'No uploads or imports are in progress.',
  completed: 'No uploads or imports completed in the last 30 days.',
  failed: 'No uploads or imports failed or were cancelled in the last 30 days.',
  expired: 'No uploads expired in the last 30 days.',
}

/** Polling intervals while a shown upload is open, and otherwise. Background tabs do not poll. */
const BUSY_MS = 2_000
const IDLE_MS = 10_000
const isOpen = ({ state }: DashboardUpload) => state === 'waiting' || state === 'uploading' || state === 'retrying'

/** Lists the uploads through the API and the imports of the account. */
export function Uploads() {
  const trpc = useTRPC()
  const [group, setGroup] = useState<UploadGroup>()
  const [again, importAgain] = useDialog<DashboardUpload>()
  const query = useInfiniteQuery(
    trpc.upload.list.infiniteQueryOptions(group ? { group } : {}, {
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      placeholderData: keepPreviousData,
      refetchInterval: ({ state: { data } }) => (data?.pages.some(({ uploads }) => uploads.some(isOpen)) ? BUSY_MS : IDLE_MS),
    }),
  )
  const rows = query.data?.pages.flatMap((page) => page.uploads) ?? []
  return (
    <>
      <PageHeader
        title="Videos"
        purpose="Uploads through the API and imports from URLs. We keep each for 30 days after it ends."
        action={<ImportButton />}
      />
      <VideoTabs here="/videos/uploads" />
      <div className={classes.bar} data-scrolls>
        <SegmentedControl
          aria-label="State"
          size="xs"
          data={GROUPS}
          value={group ?? 'ALL'}
          onChange={(value) => setGroup(value === 'ALL' ? undefined : (value as UploadGroup))}
        />
      </div>
      <Stack gap="md">
        {query.isError && rows.length === 0 ? (
          <ErrorState message={query.error.message} requestId={query.error.data?.requestId} onRetry={() => void query.refetch()} />
        ) : rows.length > 0 ? (
          <UploadTable uploads={rows} onImportAgain={importAgain} />
        ) : (
          <EmptyState
            framed
            icon={<IconUpload size={20} />}
            title={group ? 'No uploads' : 'No uploads yet'}
            action={group ? undefined : <ImportButton />}
          >
            {group ? (
              NOTHING[group]
            ) : (
              <>
                Files that your users upload through the API, and files that you import from URLs, appear here.{' '}
                <Anchor href="/docs/uploads" inherit underline="always">
                  Upload from the browser
                </Anchor>
              </>
            )}
          </EmptyState>
        )}
        <ShowMore query={query} />
      </Stack>
      {again && <ImportAgainDialog key={again.times} upload={again.subject} {...again.props} />}
    </>
  )
}

function ImportButton() {
  const { openDialog } = useUploads()
  if (!useMay('videos.change')) return null
  return (
    <Button leftSection={<IconCloudDownload size={15} />} onClick={() => openDialog('url')}>
      Import from URL
    </Button>
  )
}

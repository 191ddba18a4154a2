'use client'

import { Button, Skeleton } from '@mantine/core'
import { IconBadgeCc } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useTRPC } from '../../../../../../_trpc/client'
import { Link } from '../../../../../../_ui/Link'
import { BackLink } from '../../../../../../_ui/page/BackLink'
import { EmptyState } from '../../../../../../_ui/page/EmptyState'
import { ErrorState } from '../../../../../../_ui/page/ErrorState'
import { useMay } from '../../../../../_parts/permissions'
import classes from './Editor.module.css'

const loading = () => (
  <div className={classes.columns} role="status" aria-busy="true" aria-label="Loading">
    <Skeleton className={classes.video} />
    <Skeleton height={480} radius="md" />
  </div>
)

const Editor = dynamic(() => import('./Editor').then((module) => module.Editor), { ssr: false, loading })

/** Opens the captions editor with what is stored now: an editor that began with an older text would show its own changes as another's. */
export function CaptionsPage({ videoId, language }: { videoId: string; language: string }) {
  const trpc = useTRPC()
  const { data: video } = useSuspenseQuery(trpc.video.get.queryOptions({ videoId }))
  const mayChange = useMay('videos.change') && !video.deletedAt && !video.takenDownAt
  const query = useQuery(trpc.captions.editor.queryOptions({ videoId, language }, { enabled: mayChange, staleTime: 0, gcTime: 0 }))
  const home = `/videos/${videoId}`
  if (!mayChange)
    return (
      <EmptyState
        wholePage
        icon={<IconBadgeCc size={20} />}
        title="You cannot edit these captions"
        action={
          <Button component={Link} href={home} variant="default">
            View the video
          </Button>
        }
      >
        Your role can’t manage videos, or the video is deleted or taken down.
      </EmptyState>
    )
  return (
    <>
      <BackLink href={home}>{video.title}</BackLink>
      {query.data && query.isFetchedAfterMount ? (
        <Editor video={video} language={language} latest={query.data} latestAt={query.dataUpdatedAt} />
      ) : query.error ? (
        <ErrorState message={query.error.message} requestId={query.error.data?.requestId} onRetry={() => void query.refetch()} />
      ) : (
        loading()
      )}
    </>
  )
}

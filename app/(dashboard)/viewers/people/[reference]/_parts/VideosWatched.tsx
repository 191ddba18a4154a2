'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../../../_trpc/client'
import { Link } from '../../../../../_ui/Link'
import { ProgressPanel } from '../../../../_parts/viewers/ProgressPanel'
import classes from './PersonPage.module.css'

/** Lists what a person watched, the latest first, and which parts of it. */
export function VideosWatched({ reference }: { reference: string }) {
  const trpc = useTRPC()
  const query = useInfiniteQuery(
    trpc.viewing.personVideos.infiniteQueryOptions(
      { reference },
      { initialCursor: undefined, getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, refetchInterval: 30_000 },
    ),
  )
  return (
    <ProgressPanel
      title="Videos watched"
      query={query}
      rows={query.data?.pages.flatMap((page) => page.videos)}
      keyOf={({ videoId }) => videoId}
      first={{
        title: 'Video',
        cell: ({ videoId, title }) => (
          <Link href={`/videos/${videoId}`} className={`${classes.link} rg-row-link`}>
            {title}
          </Link>
        ),
        phone: 'title',
      }}
    >
      Nothing watched yet. Only the embed player reports progress.
    </ProgressPanel>
  )
}

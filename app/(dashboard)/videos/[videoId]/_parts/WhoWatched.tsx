'use client'

import { Anchor } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../../_trpc/client'
import { Link } from '../../../../_ui/Link'
import { Panel } from '../../../../_ui/Panel'
import { useShowsContent } from '../../../_parts/permissions'
import { PeopleCounts } from '../../../_parts/viewers/PeopleCounts'
import { PersonLink } from '../../../_parts/viewers/PersonLink'
import { ProgressPanel } from '../../../_parts/viewers/ProgressPanel'

/** Lists the people who watched the video, the latest first, and which parts of it. */
export function WhoWatched({ videoId }: { videoId: string }) {
  const shows = useShowsContent()
  if (shows) return <Watchers videoId={videoId} />
  return (
    <Panel title="Who watched">
      <PeopleCounts videoId={videoId} />
    </Panel>
  )
}

function Watchers({ videoId }: { videoId: string }) {
  const trpc = useTRPC()
  const query = useInfiniteQuery(
    trpc.viewing.watchers.infiniteQueryOptions(
      { videoId },
      { initialCursor: undefined, getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, refetchInterval: 60_000 },
    ),
  )
  return (
    <ProgressPanel
      title="Who watched"
      query={query}
      rows={query.data?.pages.flatMap((page) => page.watchers)}
      keyOf={({ reference }) => reference}
      first={{ title: 'Viewer', cell: (row) => <PersonLink {...row} row />, phone: 'title' }}
    >
      No viewer with an ID has watched this video yet.{' '}
      <Anchor component={Link} href="/docs/viewers#people" inherit underline="always">
        Name viewers in token requests
      </Anchor>{' '}
      to see who watched how much.
    </ProgressPanel>
  )
}

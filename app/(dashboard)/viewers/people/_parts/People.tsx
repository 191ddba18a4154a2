'use client'

import { Anchor, Stack } from '@mantine/core'
import { IconUserSearch } from '@tabler/icons-react'
import { useSuspenseInfiniteQuery } from '@tanstack/react-query'
import type { ListedPerson } from '#server/modules/dashboard/people/people'
import { useTRPC } from '../../../../_trpc/client'
import { CodeBlock } from '../../../../_ui/CodeBlock'
import { formatCount } from '../../../../_ui/format'
import { Link } from '../../../../_ui/Link'
import { EmptyState } from '../../../../_ui/page/EmptyState'
import { PageHeader } from '../../../../_ui/page/PageHeader'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { ShowMore } from '../../../../_ui/ShowMore'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import { Table } from '../../../../_ui/Table'
import { useShowsContent } from '../../../_parts/permissions'
import { PeopleCounts } from '../../../_parts/viewers/PeopleCounts'
import { PersonLink } from '../../../_parts/viewers/PersonLink'
import { ViewersTabs } from '../../_parts/ViewersTabs'
import { FindPerson } from './FindPerson'
import classes from './People.module.css'

/** How soon a list shows a session that begins or ends. */
const REFETCH_MS = 15_000

/** Lists the people whom token requests name, by their last activity. */
export function People({ snippet }: { snippet: string }) {
  const shows = useShowsContent()
  return (
    <>
      <PageHeader title="People" purpose="The viewers you name in token requests: where they watch now, and how much they have watched." />
      <ViewersTabs here="/viewers/people" />
      {shows ? <Listed snippet={snippet} /> : <PeopleCounts />}
    </>
  )
}

function Listed({ snippet }: { snippet: string }) {
  const trpc = useTRPC()
  const query = useSuspenseInfiniteQuery(
    trpc.viewing.people.infiniteQueryOptions(
      {},
      { initialCursor: undefined, getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, refetchInterval: REFETCH_MS },
    ),
  )
  // A person who was active between the requests for two pages is on both.
  const people = [...new Map(query.data.pages.flatMap((page) => page.people).map((one) => [one.reference, one])).values()]
  if (people.length === 0) return <Nobody snippet={snippet} />
  return (
    <Stack gap="md">
      <FindPerson />
      <Table
        label="People"
        rows={people}
        keyOf={({ reference }) => reference}
        columns={[
          { title: 'Viewer', cell: (person) => <PersonLink {...person} row />, phone: 'title' },
          { title: 'Sessions now', cell: ({ sessions }) => <Sessions count={sessions} />, phone: 'end', width: 170 },
          { title: 'Videos watched', cell: ({ videos }) => formatCount(videos), number: true, width: 150 },
          { title: 'Last seen', cell: ({ lastSeenAt }) => <RelativeTime date={lastSeenAt} />, width: 190 },
        ]}
      />
      <ShowMore query={query} />
    </Stack>
  )
}

const Sessions = ({ count }: { count: ListedPerson['sessions'] }) =>
  count > 0 ? (
    <StatusBadge tone="good" live>
      {formatCount(count)} now
    </StatusBadge>
  ) : (
    <span className={classes.none}>None</span>
  )

function Nobody({ snippet }: { snippet: string }) {
  return (
    <EmptyState
      icon={<IconUserSearch size={20} />}
      title="No viewers yet"
      framed
      action={
        <div className={classes.snippet}>
          <CodeBlock label="Shell" code={snippet} />
        </div>
      }
    >
      Name the viewer when you request a playback token, with your own ID for the person. They appear here as soon as they watch.{' '}
      <Anchor component={Link} href="/docs/viewers#people" inherit underline="always">
        How viewers work
      </Anchor>
    </EmptyState>
  )
}

'use client'

import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconEraser, IconPlayerStop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { Person } from '#server/modules/dashboard/people/people'
import { useTRPC } from '../../../../../_trpc/client'
import { IdChip } from '../../../../../_ui/IdChip'
import { BackLink } from '../../../../../_ui/page/BackLink'
import { ErrorState } from '../../../../../_ui/page/ErrorState'
import { RelativeTime } from '../../../../../_ui/RelativeTime'
import { useDialog } from '../../../../../_ui/use-dialog'
import { useMay, useShowsContent } from '../../../../_parts/permissions'
import { PeopleCounts } from '../../../../_parts/viewers/PeopleCounts'
import { MissingPerson } from '../../_parts/MissingPerson'
import { Erased } from './Erased'
import classes from './PersonPage.module.css'
import { SessionsNow } from './SessionsNow'
import { VideosWatched } from './VideosWatched'

const EndDialog = dynamic(() => import('./EndDialog').then((module) => module.EndDialog), { ssr: false })
const EraseDialog = dynamic(() => import('./EraseDialog').then((module) => module.EraseDialog), { ssr: false })

/** How soon the page shows a session that begins or ends. */
const REFETCH_MS = 10_000

/** Shows one person: where they watch now, what they watched, and what members may do about it. */
export function PersonPage({ reference }: { reference: string }) {
  const shows = useShowsContent()
  const [receiptId, setReceiptId] = useState<string>()
  return (
    <>
      <BackLink href="/viewers/people">People</BackLink>
      {receiptId ? <Erased receiptId={receiptId} /> : shows ? <Loaded reference={reference} onErased={setReceiptId} /> : <PeopleCounts />}
    </>
  )
}

function Loaded({ reference, onErased }: { reference: string; onErased: (receiptId: string) => void }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.viewing.person.queryOptions({ reference }, { refetchInterval: REFETCH_MS }))
  if (query.error?.data?.code === 'VIEWER_NOT_FOUND') return <MissingPerson />
  if (query.error && !query.data)
    return <ErrorState message={query.error.message} requestId={query.error.data?.requestId} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton height={400} />
  return (
    <>
      <Header person={query.data} onErased={onErased} />
      <Stack gap="lg">
        <SessionsNow sessions={query.data.sessions} />
        <VideosWatched reference={reference} />
      </Stack>
    </>
  )
}

function Header({ person, onErased }: { person: Person; onErased: (receiptId: string) => void }) {
  const { reference, id, firstSeenAt, lastSeenAt, sessions } = person
  const mayChange = useMay('videos.change')
  const [ending, end] = useDialog()
  const [erasing, erase] = useDialog()
  return (
    <Group component="header" justify="space-between" align="flex-start" gap="md" mb="lg">
      <div className={classes.head}>
        <Title order={1} className={classes.title}>
          <bdi>{id}</bdi>
        </Title>
        <Text c="dimmed" mt={2} component="div">
          Last seen <RelativeTime date={lastSeenAt} /> · first seen <RelativeTime date={firstSeenAt} /> · reference{' '}
          <IdChip id={reference} />
        </Text>
      </div>
      {mayChange && (
        <Group gap="xs">
          {sessions.length > 0 && (
            <Button variant="default" leftSection={<IconPlayerStop size={15} />} onClick={() => end()}>
              End sessions…
            </Button>
          )}
          <Button variant="default" c="var(--mantine-color-error)" leftSection={<IconEraser size={15} />} onClick={() => erase()}>
            Erase…
          </Button>
        </Group>
      )}
      {ending && <EndDialog key={ending.times} person={person} {...ending.props} />}
      {erasing && <EraseDialog key={erasing.times} person={person} onErased={onErased} {...erasing.props} />}
    </Group>
  )
}

'use client'

import { Anchor, Button, Group, SimpleGrid, Stack, Title } from '@mantine/core'
import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useTRPC } from '../../_trpc/client'
import { CodeBlock } from '../../_ui/CodeBlock'
import { formatCount } from '../../_ui/format'
import { PageHeader } from '../../_ui/PageHeader'
import { Panel } from '../../_ui/Panel'
import { Figure } from './Figure'
import { Step } from './Step'
import { tokenSnippet } from './token-snippet'
import { UploadButton } from './UploadButton'
import { VideoTable } from './VideoTable'

const RECENT = 5

/** The account at a glance, and what to do next while it is new. */
export function Overview({ baseUrl }: { baseUrl: string }) {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.account.overview.queryOptions())
  // The Videos page's own first page: what is loaded here is there already, and changes arrive in both.
  const list = useSuspenseInfiniteQuery(
    trpc.video.list.infiniteQueryOptions({}, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
  )
  const recent = list.data.pages[0]?.videos.slice(0, RECENT) ?? []
  const { videos, keys, tokensToday, tokensEver, playableVideoId } = data
  const total = videos.pending + videos.processing + videos.completed + videos.failed
  const waiting = videos.pending + videos.processing

  return (
    <>
      <PageHeader title="Overview" purpose="Your videos, keys and playback tokens at a glance." action={<UploadButton />} />
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
          <Figure
            title="Videos ready"
            value={formatCount(videos.completed)}
            note={total === 0 ? 'none uploaded yet' : `of ${formatCount(total)} uploaded`}
            href="/videos"
          />
          <Figure
            title="In progress"
            value={formatCount(waiting)}
            note={videos.failed > 0 ? `${formatCount(videos.failed)} failed` : 'none failed'}
            alarming={videos.failed > 0}
            href={videos.failed > 0 ? '/videos?filter=FAILED' : '/videos'}
          />
          <Figure title="Working keys" value={formatCount(keys)} href="/api-keys" />
          <Figure title="Playback tokens today" value={formatCount(tokensToday)} note="since midnight UTC" />
        </SimpleGrid>
        {tokensEver === 0 && (
          <Panel title="Get your first video playing" flush>
            <Step number={1} title="Upload a video" done={total > 0} action={<UploadButton variant="default" />}>
              {waiting > 0 && videos.completed === 0
                ? 'It is being transcoded. You can go on with the next step.'
                : 'It is transcoded into several qualities and encrypted.'}
            </Step>
            <Step
              number={2}
              title="Generate an API key"
              done={keys > 0}
              action={
                <Button component={Link} href="/api-keys" variant="default">
                  Go to API Keys
                </Button>
              }
            >
              Your backend uses it to list videos and to issue playback tokens.
            </Step>
            <Step number={3} title="Ask for a playback token" done={false}>
              From your backend, never from a page: the key must stay secret. The answer holds a player address that works for 5 minutes.
              <CodeBlock label="Shell" code={tokenSnippet(baseUrl, playableVideoId ?? '<VIDEO_ID>')} />
            </Step>
          </Panel>
        )}
        {recent.length > 0 && (
          <section>
            <Group justify="space-between" mb="xs">
              <Title order={2}>Recent videos</Title>
              <Anchor component={Link} href="/videos" size="sm">
                All videos
              </Anchor>
            </Group>
            <VideoTable videos={recent} />
          </section>
        )}
      </Stack>
    </>
  )
}

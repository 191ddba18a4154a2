'use client'

import { Anchor, Group, SimpleGrid, Stack, Title } from '@mantine/core'
import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import { formatCredits } from '#server/modules/billing/price-schema'
import { Attention, type AttentionAddresses } from '../../_parts/attention/Attention'
import { useTRPC } from '../../_trpc/client'
import { formatCount } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { PageHeader } from '../../_ui/page/PageHeader'
import { Figure } from './Figure'
import { FirstSteps } from './FirstSteps'
import { KeyQuotas } from './KeyQuotas'
import classes from './Overview.module.css'
import { OverviewChart } from './OverviewChart'
import { usePermissions } from './permissions'
import { UploadButton } from './UploadButton'
import { VideoCounts } from './VideoCounts'
import { VideoMenus } from './VideoMenus'
import { VideoTable } from './VideoTable'

const RECENT = 5

const OWN_PAGES: AttentionAddresses = {
  keys: '/api-keys',
  key: (id, open) => `/api-keys/${id}${open ? `?open=${open}` : ''}`,
  failedVideos: '/videos?filter=FAILED',
  video: (id) => `/videos/${id}`,
  billing: '/billing',
  caps: '/billing/limits',
  webhooks: '/webhooks',
  webhook: (id) => `/webhooks/${id}`,
}

/** Shows the account's overview, and the next steps while it is new. */
export function Overview({ baseUrl }: { baseUrl: string }) {
  const trpc = useTRPC()
  const may = usePermissions()
  const { data } = useSuspenseQuery(trpc.account.overview.queryOptions(undefined, { refetchInterval: 15_000, refetchOnWindowFocus: true }))
  // The first page of the Videos page: the data loaded here is shared with it, and changes appear in both.
  const list = useSuspenseInfiniteQuery(
    trpc.video.list.infiniteQueryOptions({}, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
  )
  const recent = list.data.pages[0]?.videos.slice(0, RECENT) ?? []
  const { videos, keys, days, quotas, attention, wallet, viewers } = data
  const today = days.at(-1)

  return (
    <>
      <PageHeader
        title="Overview"
        purpose="What needs attention, and the last 30 days (UTC)."
        action={may('videos.change') && <UploadButton />}
      />
      <Stack gap="lg">
        <Attention items={attention} at={OWN_PAGES} may={may} />
        <FirstSteps baseUrl={baseUrl} />
        <OverviewChart days={days} />
        <SimpleGrid cols={{ base: 2, md: 5 }} spacing="md" className={classes.figures}>
          <Figure title="Viewers now" value={formatCount(viewers)} note="active in the last minute" href="/viewers" />
          <Figure title="Requests today" value={formatCount(today?.requests ?? 0)} note="to the API" href="/usage" />
          <Figure
            title="Tokens issued today"
            value={formatCount(today?.issued ?? 0)}
            note={today?.refused ? `${formatCount(today.refused)} refused: quota exceeded` : '0 refused'}
            alarming={(today?.refused ?? 0) > 0}
            href="/usage"
          />
          <Figure title="Plays today" value={formatCount(today?.plays ?? 0)} note="in the embed player" href="/viewers" />
          <Figure
            title="Credits"
            value={formatCredits(wallet.balance)}
            note={wallet.tier === 'PAID' ? 'paid tier' : 'free tier: no charges'}
            href="/billing"
          />
        </SimpleGrid>
        <div className={classes.two}>
          <KeyQuotas quotas={quotas} keys={keys} />
          <VideoCounts videos={videos} />
        </div>
        {recent.length > 0 && (
          <section>
            <Group justify="space-between" mb="xs">
              <Title order={2}>Recent videos</Title>
              <Anchor component={Link} href="/videos" size="sm">
                All videos
              </Anchor>
            </Group>
            <VideoMenus videos={recent}>
              <VideoTable videos={recent} />
            </VideoMenus>
          </section>
        )}
      </Stack>
    </>
  )
}

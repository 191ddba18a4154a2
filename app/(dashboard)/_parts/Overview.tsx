'use client'

import { Anchor, Group, SimpleGrid, Stack, Title } from '@mantine/core'
import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import type { AccountDay } from '#server/modules/analytics/account-days'
import { useTRPC } from '../../_trpc/client'
import { formatCount } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { PageHeader } from '../../_ui/PageHeader'
import { Attention } from './Attention'
import { Figure } from './Figure'
import { FirstSteps } from './FirstSteps'
import { KeyQuotas } from './KeyQuotas'
import classes from './Overview.module.css'
import { useMay } from './permissions'
import { UploadButton } from './UploadButton'
import { VideoCounts } from './VideoCounts'
import { VideoTable } from './VideoTable'

const RECENT = 5

/** Shows the account's overview, and the next steps while it is new. */
export function Overview({ baseUrl }: { baseUrl: string }) {
  const trpc = useTRPC()
  const mayUpload = useMay('videos.change')
  const { data } = useSuspenseQuery(trpc.account.overview.queryOptions(undefined, { refetchInterval: 15_000, refetchOnWindowFocus: true }))
  // The first page of the Videos page: the data loaded here is shared with it, and changes appear in both.
  const list = useSuspenseInfiniteQuery(
    trpc.video.list.infiniteQueryOptions({}, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
  )
  const recent = list.data.pages[0]?.videos.slice(0, RECENT) ?? []
  const { videos, keys, days, quotas, attention, wallet, viewers } = data
  const today = days.at(-1)
  const trend = (field: Exclude<keyof AccountDay, 'day'>, what: string) => trendOf(days, field, what)

  return (
    <>
      <PageHeader
        title="Overview"
        purpose="Today’s activity and items that need attention. Days are in UTC."
        action={mayUpload && <UploadButton />}
      />
      <Stack gap="lg">
        <FirstSteps baseUrl={baseUrl} />
        <SimpleGrid cols={{ base: 2, md: 5 }} spacing="md" className={classes.figures}>
          <Figure title="Viewers now" value={formatCount(viewers)} note="active in the last minute" href="/videos" />
          <Figure
            title="Requests today"
            value={formatCount(today?.requests ?? 0)}
            note="with an API key"
            href="/usage"
            trend={trend('requests', 'Requests')}
          />
          <Figure
            title="Tokens issued today"
            value={formatCount(today?.issued ?? 0)}
            note={today?.refused ? `${formatCount(today.refused)} refused: quota exceeded` : '0 refused'}
            alarming={(today?.refused ?? 0) > 0}
            href="/usage"
            trend={trend('issued', 'Tokens issued')}
          />
          <Figure title="Plays today" value={formatCount(today?.plays ?? 0)} note="in the embed player" trend={trend('plays', 'Plays')} />
          <Figure
            title="Credits"
            value={wallet.balance}
            note={wallet.tier === 'PAID' ? 'paid tier' : 'free tier: no charges'}
            href="/billing"
          />
        </SimpleGrid>
        <Attention items={attention} />
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
            <VideoTable videos={recent} />
          </section>
        )}
      </Stack>
    </>
  )
}

/** Returns one number of the last 30 days, which are the second half of `days`, and a description of them. */
function trendOf(days: AccountDay[], field: Exclude<keyof AccountDay, 'day'>, what: string) {
  const values = days.slice(days.length / 2).map((day) => day[field])
  const [all, most] = [values.reduce((sum, value) => sum + value, 0), Math.max(...values)]
  return {
    values,
    label: `${what} in the last ${values.length} days: ${formatCount(all)} in total, ${formatCount(most)} on the busiest day`,
  }
}

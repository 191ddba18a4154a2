'use client'

import { Stack, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { DayRangeName } from '#server/platform/text/day-ranges'
import { Attention } from '../../../../_parts/attention/Attention'
import { useTRPC } from '../../../../_trpc/client'
import { Figures } from '../../../../_ui/Figures'
import { formatBytes, formatCount } from '../../../../_ui/format'
import type { RangeValue } from '../../../../_ui/range/range-text'
import { LimitsPanel } from './LimitsPanel'
import { Measures } from './Measures'
import { People } from './People'
import { UsagePanel } from './UsagePanel'
import { WaitingChanges } from './WaitingChanges'

/** Shows an account's content, usage and members. */
export function AccountOverview({ accountId, initialRange }: { accountId: string; initialRange: RangeValue<DayRangeName> }) {
  const trpc = useTRPC()
  const { data: account } = useSuspenseQuery(trpc.support.account.queryOptions({ accountId }))
  const { videos, keys } = account
  const home = `/support/accounts/${accountId}`
  const total = videos.pending + videos.processing + videos.completed + videos.failed
  const under = videos.pending + videos.processing
  const notes = [under > 0 && `${formatCount(under)} in progress`, videos.failed > 0 && `${formatCount(videos.failed)} failed`].filter(
    Boolean,
  )
  return (
    <Stack gap="lg">
      <WaitingChanges changes={account.waiting} />
      <Attention
        items={account.attention}
        at={{
          keys: `${home}/keys`,
          key: () => `${home}/keys`,
          failedVideos: `${home}/videos?filter=FAILED`,
          video: (id) => `${home}/videos/${id}`,
          billing: `${home}/billing`,
          caps: `${home}/billing`,
          webhooks: `${home}/webhooks`,
          webhook: (id) => `${home}/webhooks/${id}`,
        }}
      />
      <Figures
        figures={[
          { title: 'Videos', value: formatCount(total), note: notes.join(', ') || undefined, alarming: videos.failed > 0 },
          { title: 'Active keys', value: formatCount(keys.active), note: `${formatCount(keys.ever)} created in total` },
          { title: 'Storage', value: formatBytes(account.storedBytes) },
          { title: 'Embed domains', value: account.embedDomains.length > 0 ? String(account.embedDomains.length) : 'Any' },
        ]}
      />
      <UsagePanel accountId={accountId} initialRange={initialRange} />
      <LimitsPanel accountId={accountId} />
      <section>
        <Title order={2} mb="xs">
          Members
        </Title>
        <People accountId={accountId} members={account.members} />
      </section>
      {account.measures.length > 0 && (
        <section>
          <Title order={2} mb="xs">
            Suspensions and takedowns
          </Title>
          <Measures measures={account.measures} />
        </section>
      )}
    </Stack>
  )
}

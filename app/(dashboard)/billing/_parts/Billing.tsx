'use client'

import { Button, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { BillingOverview } from '#server/modules/dashboard/billing-overview'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { PageHeader } from '../../../_ui/PageHeader'
import { formatCredits } from '../../_parts/amounts'
import { Figure } from '../../_parts/Figure'
import { KeyCaps } from './KeyCaps'
import { Ledger } from './Ledger'
import { Limits } from './Limits'
import { SpendPanel } from './SpendPanel'
import { Statements } from './Statements'
import { TierPanel } from './TierPanel'

// At the end of the page, and not needed before the first input.
const Simulator = dynamic(() => import('./Simulator').then((module) => module.Simulator), {
  ssr: false,
  loading: () => <Skeleton height={260} />,
})
const TopUpDialog = dynamic(() => import('./TopUpDialog').then((module) => module.TopUpDialog), { ssr: false })

/** Shows the account's wallet: the balance, the spending, and its limits. */
export function Billing({ mayChange, paid }: { mayChange: boolean; paid: boolean }) {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(
    trpc.billing.overview.queryOptions(undefined, { refetchOnWindowFocus: true, staleTime: 5_000, refetchInterval: paid ? 3_000 : 15_000 }),
  )
  const [dialog, setDialog] = useState({ open: false, times: 0 })
  return (
    <>
      <PageHeader
        title="Billing"
        purpose="Each playback token on the paid tier costs 0.0005 credits. Days and months are in UTC."
        action={
          mayChange &&
          data.price && (
            <Button leftSection={<IconPlus size={15} />} onClick={() => setDialog(({ times }) => ({ open: true, times: times + 1 }))}>
              Top up
            </Button>
          )
        }
      />
      <Stack gap="lg">
        {paid && (
          <Notice tone="info">Thank you. Credits are added when the payment provider confirms the payment, usually within seconds.</Notice>
        )}
        <Trouble overview={data} />
        <Figures overview={data} />
        <SpendPanel />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <TierPanel tier={data.tier} mayChange={mayChange} />
          <Limits overview={data} mayChange={mayChange} />
        </SimpleGrid>
        <KeyCaps keys={data.keys} mayChange={mayChange} />
        <Ledger unposted={data.unposted} />
        <Statements />
        <Simulator />
      </Stack>
      {dialog.times > 0 && data.price && (
        <TopUpDialog
          key={dialog.times}
          price={data.price}
          opened={dialog.open}
          onClose={() => setDialog((now) => ({ ...now, open: false }))}
        />
      )}
    </>
  )
}

const TOKEN = 0.0005

/** Shows why a paying account is on the free quota, while it is. */
function Trouble({ overview: { tier, balance, monthCap, monthSpent } }: { overview: BillingOverview }) {
  if (tier !== 'PAID') return null
  if (Number(balance) < TOKEN)
    return <Notice tone="bad">Balance is empty. Keys have the free quota of 1,000 tokens per day until you top up.</Notice>
  if (monthCap !== null && Number(monthCap) - Number(monthSpent) < TOKEN)
    return (
      <Notice tone="bad">
        The monthly spending cap is reached. Keys have the free quota of 1,000 tokens per day until the month ends or you raise the cap.
      </Notice>
    )
  return null
}

function Figures({ overview }: { overview: BillingOverview }) {
  const { balance, lowBalanceThreshold, monthCap, monthSpent, spentPerDay, daysLeft, tier } = overview
  const low = lowBalanceThreshold !== null && Number(balance) < Number(lowBalanceThreshold)
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <Figure
        title="Balance"
        value={formatCredits(balance)}
        note={low ? `credits, below ${formatCredits(lowBalanceThreshold)}` : 'credits'}
        alarming={low || (tier === 'PAID' && Number(balance) === 0)}
      />
      <Figure
        title="Spent this month"
        value={formatCredits(monthSpent)}
        note={monthCap === null ? 'credits, no cap' : `of ${formatCredits(monthCap)} credits`}
        alarming={monthCap !== null && Number(monthSpent) >= 0.9 * Number(monthCap)}
      />
      <Figure
        title="Estimated time left"
        value={daysLeft === null ? '–' : daysLeft > 3_650 ? '10+ years' : `${formatCredits(daysLeft)} ${daysLeft === 1 ? 'day' : 'days'}`}
        note={daysLeft === null ? 'no spending this week' : `at ${formatCredits(spentPerDay)} per day (7-day average)`}
        alarming={daysLeft !== null && daysLeft < 3}
      />
      <Figure
        title="Tier"
        value={tier === 'PAID' ? 'Paid' : 'Free'}
        note={tier === 'PAID' ? '0.5 credits per 1,000 tokens' : '1,000 tokens per key and day'}
      />
    </SimpleGrid>
  )
}

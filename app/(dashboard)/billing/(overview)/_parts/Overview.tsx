'use client'

import { SimpleGrid } from '@mantine/core'
import { formatCredits } from '#server/modules/billing/price-schema'
import type { BillingOverview } from '#server/modules/dashboard/billing-overview'
import { Figure } from '../../../_parts/Figure'
import { BillingFrame } from '../../_parts/BillingFrame'
import { SpendPanel } from './SpendPanel'
import { TierPanel } from './TierPanel'

/** Shows the account's wallet: the balance, the spending, and the tier. */
export function Overview({ mayChange, paid }: { mayChange: boolean; paid: boolean }) {
  return (
    <BillingFrame here="/billing" mayChange={mayChange} paid={paid}>
      {(overview) => (
        <>
          <Figures overview={overview} />
          <SpendPanel />
          <TierPanel tier={overview.tier} mayChange={mayChange} />
        </>
      )}
    </BillingFrame>
  )
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
        value={formatTimeLeft(daysLeft)}
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

/** Formats days as days, or from 1,000 on as whole years, at most 10. */
function formatTimeLeft(days: number | null): string {
  if (days === null) return '–'
  if (days >= 1_000) return `${Math.min(10, Math.floor(days / 365))}+ years`
  return `${days} ${days === 1 ? 'day' : 'days'}`
}

'use client'

import { Button, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { ReactNode } from 'react'
import type { BillingOverview } from '#server/modules/dashboard/billing-overview'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { PlaceTabs } from '../../../_ui/page/PlaceTabs'
import { useDialog } from '../../../_ui/use-dialog'
import { useAsked } from '../../_parts/use-asked'

const TopUpDialog = dynamic(() => import('./TopUpDialog').then((module) => module.TopUpDialog), { ssr: false })

const TABS = [
  { href: '/billing', title: 'Overview' },
  { href: '/billing/limits', title: 'Limits' },
  { href: '/billing/ledger', title: 'Ledger' },
  { href: '/billing/estimate', title: 'Estimate' },
  { href: '/billing/statements', title: 'Statements' },
] as const

interface Props {
  here: (typeof TABS)[number]['href']
  mayChange: boolean
  /** Whether the user returns from a payment. */
  paid?: boolean
  children: (overview: BillingOverview) => ReactNode
}

/** Renders what the pages of the wallet share: the heading, the tabs, the top-up, and why a paying account has the free quota. */
export function BillingFrame({ here, mayChange, paid = false, children }: Props) {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(
    trpc.billing.overview.queryOptions(undefined, { refetchOnWindowFocus: true, staleTime: 5_000, refetchInterval: paid ? 3_000 : 15_000 }),
  )
  const [dialog, topUp] = useDialog()
  useAsked(mayChange ? ['top-up'] : [], () => topUp())
  return (
    <>
      <PageHeader
        title="Billing"
        purpose="Each playback token on the paid tier costs 0.0005 credits. Days and months are in UTC."
        action={
          mayChange &&
          data.price && (
            <Button leftSection={<IconPlus size={15} />} onClick={() => topUp()}>
              Top up
            </Button>
          )
        }
      />
      <PlaceTabs label="Billing" places={TABS} here={here} />
      <Stack gap="lg">
        {paid && (
          <Notice tone="info">Thank you. We add the credits once the payment provider confirms the payment, usually within seconds.</Notice>
        )}
        <Trouble overview={data} />
        {children(data)}
      </Stack>
      {dialog && data.price && <TopUpDialog key={dialog.times} price={data.price} {...dialog.props} />}
    </>
  )
}

const TOKEN = 0.0005

/** Shows why a paying account is on the free quota, while it is. */
function Trouble({ overview: { tier, balance, monthCap, monthSpent, price } }: { overview: BillingOverview }) {
  if (tier !== 'PAID') return null
  if (Number(balance) < TOKEN)
    return (
      <Notice tone="bad">
        Your balance is empty. Keys have the free quota of 1,000 tokens per day until{' '}
        {price ? 'you top up.' : 'you get more credits. Online payments are off: contact the operator.'}
      </Notice>
    )
  if (monthCap !== null && Number(monthCap) - Number(monthSpent) < TOKEN)
    return (
      <Notice tone="bad">
        Your account has reached its monthly spending cap. Keys have the free quota of 1,000 tokens per day until the month ends or you
        raise the cap.
      </Notice>
    )
  return null
}

'use client'

import { Button, Group, Stack, Title } from '@mantine/core'
import { IconCoins } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { WalletEntry } from '#server/modules/backoffice/support/wallet'
import { formatCredits, formatSignedCredits } from '#server/modules/billing/price-schema'
import { ENTRY_KINDS } from '#server/modules/billing/state'
import { useTRPC } from '../../../../../_trpc/client'
import { Figures } from '../../../../../_ui/Figures'
import { formatCount } from '../../../../../_ui/format'
import { EmptyState } from '../../../../../_ui/page/EmptyState'
import { RelativeTime } from '../../../../../_ui/RelativeTime'
import { type Column, Table } from '../../../../../_ui/Table'
import { useDialog } from '../../../../../_ui/use-dialog'
import classes from '../../../../_parts/Lists.module.css'
import { WaitingChanges } from '../../_parts/WaitingChanges'

const TierDialog = dynamic(() => import('./TierDialog').then((module) => module.TierDialog), { ssr: false })
const BalanceDialog = dynamic(() => import('./BalanceDialog').then((module) => module.BalanceDialog), { ssr: false })

const ENTRIES: Column<WalletEntry>[] = [
  { title: 'Entry', cell: ({ seq }) => formatCount(seq) },
  { title: 'Time', cell: ({ at }) => <RelativeTime date={at} /> },
  { title: 'Type', cell: ({ kind }) => ENTRY_KINDS[kind].title },
  {
    title: 'Description',
    phone: 'wide',
    cell: ({ reason, tokens, keyName }) => (
      <span className={classes.reason}>
        {reason ?? (tokens === null ? '–' : `${formatCount(tokens)} tokens${keyName === null ? '' : ` of ${keyName}`}`)}
      </span>
    ),
  },
  { title: 'Credits', number: true, cell: ({ amount }) => formatSignedCredits(amount) },
  { title: 'Balance before', number: true, cell: ({ balanceBefore }) => formatCredits(balanceBefore) },
  { title: 'Balance after', number: true, cell: ({ balanceAfter }) => formatCredits(balanceAfter) },
]

/** Shows an account's balance, and its latest ledger entries. */
export function SupportWallet({ accountId }: { accountId: string }) {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.support.wallet.queryOptions({ accountId }))
  const { balance, waiting, entries } = data
  const [dialog, ask] = useDialog<'tier' | 'balance'>()
  return (
    <Stack gap="lg">
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => ask('tier')}>
          Change tier
        </Button>
        <Button onClick={() => ask('balance')}>Adjust balance</Button>
      </Group>
      <WaitingChanges changes={waiting} />
      <Figures
        figures={[
          { title: 'Balance', value: formatCredits(balance.balance), note: 'credits, including this hour’s usage' },
          { title: 'Tier', value: balance.tier === 'PAID' ? 'Paid' : 'Free' },
          {
            title: 'Low balance alert',
            value: balance.lowBalanceThreshold === null ? 'Not set' : `${formatCredits(balance.lowBalanceThreshold)} credits`,
          },
        ]}
      />
      <section>
        <Title order={2} mb="xs">
          Ledger
        </Title>
        {entries.some(({ kind }) => kind === 'top_up') && (
          <p className={classes.about}>
            Refund payments in Stripe, for example when someone paid for a top-up twice. We then deduct the credits here: do not deduct them
            yourself.
          </p>
        )}
        {entries.length > 0 ? (
          <Table label="Ledger" columns={ENTRIES} rows={entries} keyOf={({ seq }) => String(seq)} />
        ) : (
          <EmptyState framed icon={<IconCoins size={20} />} title="No entries yet">
            Top-ups, credits and hourly usage appear here, newest first.
          </EmptyState>
        )}
      </section>
      {dialog?.subject === 'tier' && <TierDialog key={dialog.times} accountId={accountId} tier={balance.tier} {...dialog.props} />}
      {dialog?.subject === 'balance' && (
        <BalanceDialog key={dialog.times} accountId={accountId} balance={balance.balance} waiting={waiting} {...dialog.props} />
      )}
    </Stack>
  )
}

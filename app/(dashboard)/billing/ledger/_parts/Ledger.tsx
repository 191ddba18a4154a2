'use client'

import { Button, Text } from '@mantine/core'
import { IconDownload, IconReceipt } from '@tabler/icons-react'
import { useSuspenseInfiniteQuery } from '@tanstack/react-query'
import type { LedgerLine } from '#server/modules/billing/ledger'
import { formatCredits, formatSignedCredits } from '#server/modules/billing/price-schema'
import { ENTRY_KINDS } from '#server/modules/billing/state'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { EmptyState } from '../../../../_ui/page/EmptyState'
import { type Column, Table } from '../../../../_ui/Table'
import { formatMoment } from '../../../_parts/amounts'
import classes from '../../_parts/Billing.module.css'
import { BillingFrame } from '../../_parts/BillingFrame'
import { KeyLink } from '../../_parts/KeyLink'

const columns: Column<LedgerLine>[] = [
  { title: 'Entry', width: 76, phone: 'hidden', cell: ({ seq, hash }) => <span title={`SHA-256 ${hash}`}>{seq}</span> },
  { title: 'Time (UTC)', width: 170, cell: ({ at, hour }) => <span className={classes.time}>{formatMoment(hour ?? at)}</span> },
  { title: 'Description', phone: 'title', cell: (line) => <What line={line} /> },
  {
    title: 'Credits',
    number: true,
    phone: 'end',
    cell: ({ amount }) => (
      <span className={classes.amount} data-in={!amount.startsWith('-') || undefined}>
        {formatSignedCredits(amount)}
      </span>
    ),
  },
  { title: 'Balance', number: true, cell: ({ balanceAfter }) => formatCredits(balanceAfter) },
]

function What({ line: { kind, keyId, keyName, tokens, reason } }: { line: LedgerLine }) {
  if (kind === 'usage')
    return (
      <span>
        {formatCount(tokens ?? 0)} {tokens === 1 ? 'token' : 'tokens'} of{' '}
        {keyId && keyName ? <KeyLink id={keyId} name={keyName} inText /> : <b>a deleted key</b>}, hourly total
      </span>
    )
  return (
    <span>
      <b>{ENTRY_KINDS[kind].title}</b>
      {reason && <span className={classes.reason}> · {reason}</span>}
    </span>
  )
}

/** Shows the ledger of the account's wallet. */
export function Ledger({ mayChange }: { mayChange: boolean }) {
  return (
    <BillingFrame here="/billing/ledger" mayChange={mayChange}>
      {({ unposted }) => <Entries unposted={unposted} />}
    </BillingFrame>
  )
}

/** Lists every entry with the balance after it; usage is one entry per key and hour. */
function Entries({ unposted }: { unposted: string }) {
  const trpc = useTRPC()
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(
    trpc.billing.ledger.infiniteQueryOptions(
      {},
      { initialCursor: undefined, getNextPageParam: ({ next }) => next ?? undefined, refetchOnWindowFocus: true, staleTime: 10_000 },
    ),
  )
  const lines = data.pages.flatMap((page) => page.lines)
  return (
    <Panel
      title="Ledger"
      flush
      action={
        lines.length > 0 && (
          <Button
            component="a"
            href="/api/billing/ledger"
            download
            size="compact-sm"
            variant="default"
            leftSection={<IconDownload size={14} />}
          >
            Export CSV
          </Button>
        )
      }
    >
      {lines.length === 0 ? (
        <EmptyState icon={<IconReceipt size={20} />} title="No entries yet">
          Top-ups, credits and token charges appear here with the resulting balance. Entries never change.
        </EmptyState>
      ) : (
        <div className={classes.inside}>
          <Table label="Ledger" columns={columns} rows={lines} keyOf={({ seq }) => String(seq)} />
        </div>
      )}
      {(unposted !== '0' || hasNextPage) && (
        <div className={classes.foot}>
          <Text size="xs" c="dimmed">
            {unposted !== '0' &&
              `${formatCredits(unposted)} credits charged in the current hour are already deducted. We add their entries at the end of the hour.`}
          </Text>
          {hasNextPage && (
            <Button size="compact-sm" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show older
            </Button>
          )}
        </div>
      )}
    </Panel>
  )
}

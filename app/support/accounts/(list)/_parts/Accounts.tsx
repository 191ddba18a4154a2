'use client'

import { Button, Group, SegmentedControl, Select, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AccountActivity, AccountActivityPage } from '#server/modules/backoffice/support/account-activity'
import type { AccountActivityInput, ActivityDays, ActivitySort } from '#server/modules/backoffice/support/schema'
import { useTRPC } from '../../../../_trpc/client'
import { Figures } from '../../../../_ui/Figures'
import { formatBytes, formatCount, formatWait } from '../../../../_ui/format'
import { Link } from '../../../../_ui/Link'
import { ErrorState } from '../../../../_ui/page/ErrorState'
import { PageHeader } from '../../../../_ui/page/PageHeader'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { type Column, Table } from '../../../../_ui/Table'
import lists from '../../../_parts/Lists.module.css'
import { TierBadge } from '../../../_parts/TierBadge'
import classes from './Accounts.module.css'

const PAGE = 50
const RANGES = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
]

/** On a phone there are no headings to sort by. */
const SORTS: { value: ActivitySort; label: string }[] = [
  { value: 'requests', label: 'Requests' },
  { value: 'issued', label: 'Tokens' },
  { value: 'refused', label: 'Tokens refused' },
  { value: 'failed', label: 'Failed transcodes' },
  { value: 'storage', label: 'Storage' },
  { value: 'name', label: 'Name' },
]

/** Lists every account with its usage and failures. */
export function Accounts({ initial }: { initial: AccountActivityInput }) {
  const trpc = useTRPC()
  const [asked, setAsked] = useState(initial)
  const { data, error, refetch } = useQuery(
    trpc.support.accounts.queryOptions(asked, {
      placeholderData: keepPreviousData,
      // The server is computing new totals.
      refetchInterval: ({ state }) => (state.data?.isStale ? 2_000 : 30_000),
    }),
  )
  // The address has the sort and the days, so that it can be bookmarked and shared.
  const show = (change: Partial<AccountActivityInput>) => {
    const next = { ...asked, page: 0, ...change }
    setAsked(next)
    const query = new URLSearchParams({ days: String(next.days), sort: next.sort, ...(next.page ? { page: String(next.page) } : {}) })
    window.history.replaceState(null, '', `?${query}`)
  }

  return (
    <>
      <PageHeader
        title="Accounts"
        purpose="Usage, refused tokens and failed transcodes of every account, by UTC day."
        action={
          <SegmentedControl
            size="xs"
            aria-label="Days"
            data={RANGES}
            value={String(asked.days)}
            onChange={(days) => show({ days: Number(days) as ActivityDays })}
          />
        }
      />
      {error && !data && <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />}
      {data && (
        <Stack gap="lg">
          <Totals data={data} />
          <div>
            <Select
              hiddenFrom="sm"
              mb="sm"
              label="Sort by"
              data={SORTS}
              value={asked.sort}
              onChange={(sort) => sort && show({ sort })}
              allowDeselect={false}
            />
            <Table
              label="Accounts"
              columns={columns(asked.sort, (sort) => show({ sort }))}
              rows={data.accounts}
              keyOf={({ accountId }) => accountId}
            />
            <Pages page={asked.page} accounts={data.totals.accounts} asOf={data.asOf} onPage={(page) => show({ page })} />
          </div>
        </Stack>
      )}
    </>
  )
}

function Totals({ data: { totals, queue, deliveries } }: { data: AccountActivityPage }) {
  const waits = queue.oldestSec === null ? '0 waiting' : `oldest ${formatWait(queue.oldestSec)}`
  const due = deliveries.oldestSec === null ? '0 due' : `oldest ${formatWait(deliveries.oldestSec)}`
  return (
    <Figures
      figures={[
        { title: 'Accounts', value: formatCount(totals.accounts) },
        { title: 'Requests', value: formatCount(totals.requests) },
        { title: 'Tokens issued', value: formatCount(totals.issued), note: `${formatCount(totals.refused)} refused` },
        { title: 'Failed transcodes', value: formatCount(totals.failed), alarming: totals.failed > 0 },
        {
          title: 'Transcoding queue',
          value: formatCount(queue.waiting),
          note: `${waits}, ${formatCount(queue.running)} running`,
          alarming: (queue.oldestSec ?? 0) > 600,
        },
        {
          title: 'Webhook queue',
          value: formatCount(deliveries.waiting),
          note: `${due}, ${formatCount(deliveries.later)} scheduled for retry`,
          alarming: (deliveries.oldestSec ?? 0) > 60,
        },
        { title: 'Storage', value: formatBytes(totals.storedBytes) },
      ]}
    />
  )
}

function columns(sorted: ActivitySort, onSort: (sort: ActivitySort) => void): Column<AccountActivity>[] {
  const heading = (sort: ActivitySort, title: string): Pick<Column<AccountActivity>, 'title' | 'heading' | 'sort'> => ({
    title,
    sort: sorted === sort ? (sort === 'name' ? 'ascending' : 'descending') : 'none',
    heading: (
      <button type="button" className={classes.sort} data-sorted={sorted === sort || undefined} onClick={() => onSort(sort)}>
        {title}
      </button>
    ),
  })
  return [
    {
      ...heading('name', 'Account'),
      phone: 'wide',
      cell: ({ accountId, name }) => (
        <Link href={`/support/accounts/${accountId}`} className={`${lists.link} rg-row-link`} prefetch={false}>
          {name}
        </Link>
      ),
    },
    { title: 'Tier', cell: ({ tier }) => <TierBadge tier={tier} /> },
    { ...heading('requests', 'Requests'), number: true, cell: ({ requests }) => formatCount(requests) },
    { ...heading('issued', 'Tokens issued'), number: true, cell: ({ issued }) => formatCount(issued) },
    { ...heading('refused', 'Tokens refused'), number: true, cell: ({ refused }) => <Alarming count={refused} /> },
    { ...heading('failed', 'Failed transcodes'), number: true, cell: ({ failed }) => <Alarming count={failed} /> },
    { ...heading('storage', 'Storage'), number: true, cell: ({ storedBytes }) => formatBytes(storedBytes) },
  ]
}

function Alarming({ count }: { count: number }) {
  return <span className={count > 0 ? classes.alarming : undefined}>{formatCount(count)}</span>
}

function Pages({ page, accounts, asOf, onPage }: { page: number; accounts: number; asOf: Date; onPage: (page: number) => void }) {
  const first = page * PAGE
  const last = Math.min(accounts, first + PAGE)
  return (
    <Group justify="space-between" mt="sm" gap="sm">
      <span className={lists.hint}>
        {accounts === 0 ? 'No accounts yet' : `${formatCount(first + 1)}–${formatCount(last)} of ${formatCount(accounts)}`}, updated{' '}
        <RelativeTime date={asOf} />
      </span>
      <Group gap="xs">
        <Button variant="default" size="xs" disabled={page === 0} onClick={() => onPage(page - 1)}>
          Previous
        </Button>
        <Button variant="default" size="xs" disabled={last >= accounts} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </Group>
    </Group>
  )
}

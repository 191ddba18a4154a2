'use client'

import { Anchor, Stack, Text } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { useSuspenseInfiniteQuery } from '@tanstack/react-query'
import type { ListedReceipt } from '#server/modules/audit/receipts/list'
import { RECEIPT_KINDS } from '#server/modules/audit/receipts/state'
import { useTRPC } from '../../../_trpc/client'
import { IdChip } from '../../../_ui/IdChip'
import { Link } from '../../../_ui/Link'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { ShowMore } from '../../../_ui/ShowMore'
import { Table } from '../../../_ui/Table'
import { DownloadReceipt } from '../../_parts/DownloadReceipt'
import { SettingsTabs } from './SettingsTabs'

/** Lists the signed receipts of irreversible actions: stopped keys, erased viewers, and permanently deleted videos. */
export function Receipts() {
  const trpc = useTRPC()
  const query = useSuspenseInfiniteQuery(
    trpc.receipt.list.infiniteQueryOptions({}, { initialCursor: undefined, getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
  )
  const receipts = query.data.pages.flatMap((page) => page.receipts)
  return (
    <>
      <SettingsTabs here="/settings/receipts" />
      <Stack gap="lg">
        <Text size="sm" c="dimmed" maw={680}>
          We sign receipts so that anyone can verify them. See{' '}
          <Anchor component={Link} href="/docs/receipts" inherit underline="always">
            how to verify a receipt
          </Anchor>
          .
        </Text>
        {receipts.length === 0 ? (
          <EmptyState icon={<IconReceipt size={20} />} title="No receipts yet" framed>
            A receipt appears here when you revoke or disable a key or erase a viewer, and when we permanently remove a deleted video after
            7 days.
          </EmptyState>
        ) : (
          <Listed receipts={receipts} />
        )}
        <ShowMore query={query} />
      </Stack>
    </>
  )
}

const Listed = ({ receipts }: { receipts: ListedReceipt[] }) => (
  <Table
    label="Receipts"
    rows={receipts}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Event', cell: ({ kind }) => RECEIPT_KINDS[kind], phone: 'wide' },
      { title: 'Name', cell: ({ title, subject }) => <Named title={title} subject={subject} />, phone: 'wide' },
      { title: 'ID', cell: ({ subject }) => <IdChip id={subject} /> },
      { title: 'Time', cell: ({ at }) => <RelativeTime date={at} /> },
      {
        title: 'Receipt',
        cell: ({ id, ready, title, subject }) =>
          ready ? <DownloadReceipt receiptId={id} about={title ?? subject} /> : <Text size="sm">Removing media…</Text>,
        phone: 'corner',
      },
    ]}
  />
)

/** A key still has a page; a permanently deleted video has none. */
function Named({ title, subject }: { title: string | null; subject: string }) {
  if (!subject.startsWith('key_')) return title ?? '–'
  return (
    <Anchor component={Link} href={`/api-keys/${subject}`} inherit>
      {title}
    </Anchor>
  )
}

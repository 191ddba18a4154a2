import type { Metadata } from 'next'
import { requireSession } from '../../../_auth'
import { Hydrate, load, loadPages, trpc } from '../../../_trpc/server'
import { Receipts } from '../_parts/Receipts'

export const metadata: Metadata = { title: 'Receipts' }

export default async function ReceiptsPage() {
  await requireSession('/settings/receipts')
  await Promise.all([
    load(trpc.account.me.queryOptions()),
    loadPages(trpc.receipt.list.infiniteQueryOptions({}, { initialCursor: undefined, getNextPageParam: () => undefined })),
  ])
  return (
    <Hydrate>
      <Receipts />
    </Hydrate>
  )
}

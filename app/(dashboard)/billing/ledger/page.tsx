import type { Metadata } from 'next'
import { hasPermission } from '#server/context'
import { requireSession } from '../../../_auth'
import { Hydrate, load, loadPages, trpc } from '../../../_trpc/server'
import { Ledger } from './_parts/Ledger'

export const metadata: Metadata = { title: 'Ledger' }

export default async function LedgerPage() {
  const session = await requireSession('/billing/ledger')
  await Promise.all([
    load(trpc.billing.overview.queryOptions()),
    loadPages(trpc.billing.ledger.infiniteQueryOptions({}, { initialCursor: undefined, getNextPageParam: () => undefined })),
  ])
  return (
    <Hydrate>
      <Ledger mayChange={hasPermission(session, 'billing.change')} />
    </Hydrate>
  )
}

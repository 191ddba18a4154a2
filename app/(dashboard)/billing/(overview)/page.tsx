import type { Metadata } from 'next'
import { hasPermission } from '#server/context'
import { requireSession } from '../../../_auth'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { Overview } from './_parts/Overview'

export const metadata: Metadata = { title: 'Billing' }

export default async function BillingPage({ searchParams }: { searchParams: Promise<{ payment?: string | string[] }> }) {
  const session = await requireSession('/billing')
  const { payment } = await searchParams
  await Promise.all([load(trpc.billing.overview.queryOptions()), load(trpc.billing.spend.queryOptions({ days: 30 }))])
  return (
    <Hydrate>
      <Overview mayChange={hasPermission(session, 'billing.change')} paid={payment !== undefined} />
    </Hydrate>
  )
}

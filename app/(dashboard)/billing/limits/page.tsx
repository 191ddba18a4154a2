import type { Metadata } from 'next'
import { hasPermission } from '#server/context'
import { requireSession } from '../../../_auth'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { Limits } from './_parts/Limits'

export const metadata: Metadata = { title: 'Billing limits' }

export default async function LimitsPage() {
  const session = await requireSession('/billing/limits')
  await load(trpc.billing.overview.queryOptions())
  return (
    <Hydrate>
      <Limits mayChange={hasPermission(session, 'billing.change')} />
    </Hydrate>
  )
}

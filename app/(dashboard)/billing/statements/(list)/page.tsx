import type { Metadata } from 'next'
import { hasPermission } from '#server/context'
import { requireSession } from '../../../../_auth'
import { Hydrate, load, trpc } from '../../../../_trpc/server'
import { Statements } from './_parts/Statements'

export const metadata: Metadata = { title: 'Statements' }

export default async function StatementsPage() {
  const session = await requireSession('/billing/statements')
  await Promise.all([load(trpc.billing.overview.queryOptions()), load(trpc.billing.months.queryOptions())])
  return (
    <Hydrate>
      <Statements mayChange={hasPermission(session, 'billing.change')} />
    </Hydrate>
  )
}

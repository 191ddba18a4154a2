import type { Metadata } from 'next'
import { hasPermission } from '#server/context'
import { requireSession } from '../../../_auth'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { AS_BEFORE } from './_parts/as-before'
import { Estimate } from './_parts/Estimate'

export const metadata: Metadata = { title: 'Cost estimate' }

export default async function EstimatePage() {
  const session = await requireSession('/billing/estimate')
  await Promise.all([load(trpc.billing.overview.queryOptions()), load(trpc.billing.simulate.queryOptions(AS_BEFORE))])
  return (
    <Hydrate>
      <Estimate mayChange={hasPermission(session, 'billing.change')} />
    </Hydrate>
  )
}

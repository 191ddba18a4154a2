import type { Metadata } from 'next'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { QuotaRequests } from './_parts/QuotaRequests'

export const metadata: Metadata = { title: 'Quota requests' }

export default async function QuotaRequestsPage() {
  await load(trpc.support.quotaRequests.queryOptions())
  return (
    <Hydrate>
      <QuotaRequests />
    </Hydrate>
  )
}

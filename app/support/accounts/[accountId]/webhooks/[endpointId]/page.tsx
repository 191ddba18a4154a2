import { Hydrate, load, loadPages, trpc } from '../../../../../_trpc/server'
import { SupportDeliveries } from './_parts/SupportDeliveries'

export default async function SupportDeliveriesPage({ params }: { params: Promise<{ accountId: string; endpointId: string }> }) {
  const asked = await params
  await load(trpc.support.webhooks.queryOptions({ accountId: asked.accountId }))
  await loadPages(trpc.support.deliveries.infiniteQueryOptions(asked, { initialCursor: undefined, getNextPageParam: () => undefined }))
  return (
    <Hydrate>
      <SupportDeliveries {...asked} />
    </Hydrate>
  )
}

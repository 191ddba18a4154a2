import { load, loadPages, pageOf, trpc } from '../../../../../_trpc/server'
import { SupportDeliveries } from './_parts/SupportDeliveries'

export default pageOf(async (asked) => {
  await load(trpc.support.webhooks.queryOptions({ accountId: asked.accountId }))
  await loadPages(trpc.support.deliveries.infiniteQueryOptions(asked, { initialCursor: undefined, getNextPageParam: () => undefined }))
}, SupportDeliveries)

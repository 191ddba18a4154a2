import { Hydrate, loadPages, trpc } from '../../../../_trpc/server'
import { SupportRequests } from './_parts/SupportRequests'

export default async function SupportRequestsPage({ params }: { params: Promise<{ accountId: string }> }) {
  const { accountId } = await params
  await loadPages(
    trpc.support.requests.infiniteQueryOptions({ accountId }, { initialCursor: undefined, getNextPageParam: () => undefined }),
  )
  return (
    <Hydrate>
      <SupportRequests accountId={accountId} />
    </Hydrate>
  )
}

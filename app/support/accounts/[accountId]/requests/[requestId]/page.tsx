import { Hydrate, load, trpc } from '../../../../../_trpc/server'
import { SupportRequest } from './_parts/SupportRequest'

export default async function SupportRequestPage({ params }: { params: Promise<{ accountId: string; requestId: string }> }) {
  const asked = await params
  await load(trpc.support.request.queryOptions(asked))
  return (
    <Hydrate>
      <SupportRequest {...asked} />
    </Hydrate>
  )
}

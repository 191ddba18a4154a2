import { Hydrate, load, trpc } from '../../../../_trpc/server'
import { SupportWebhooks } from './_parts/SupportWebhooks'

export default async function SupportWebhooksPage({ params }: { params: Promise<{ accountId: string }> }) {
  const asked = await params
  await load(trpc.support.webhooks.queryOptions(asked))
  return (
    <Hydrate>
      <SupportWebhooks accountId={asked.accountId} />
    </Hydrate>
  )
}

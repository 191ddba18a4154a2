import { Hydrate, load, trpc } from '../../../../_trpc/server'
import { SupportKeys } from './_parts/SupportKeys'

export default async function SupportKeysPage({ params }: { params: Promise<{ accountId: string }> }) {
  const asked = await params
  await load(trpc.support.keys.queryOptions(asked))
  return (
    <Hydrate>
      <SupportKeys accountId={asked.accountId} />
    </Hydrate>
  )
}

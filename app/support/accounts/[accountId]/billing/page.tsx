import { Hydrate, load, trpc } from '../../../../_trpc/server'
import { SupportWallet } from './_parts/SupportWallet'

export default async function SupportWalletPage({ params }: { params: Promise<{ accountId: string }> }) {
  const asked = await params
  await load(trpc.support.wallet.queryOptions(asked))
  return (
    <Hydrate>
      <SupportWallet accountId={asked.accountId} />
    </Hydrate>
  )
}

import { Hydrate, load, trpc } from '../../../_trpc/server'
import { AccountOverview } from './_parts/AccountOverview'

export default async function AccountPage({ params }: { params: Promise<{ accountId: string }> }) {
  const { accountId } = await params
  await load(trpc.support.account.queryOptions({ accountId }))
  await load(trpc.support.limits.queryOptions({ accountId }))
  await load(trpc.support.usage.queryOptions({ accountId, days: 30, split: 'key' }))
  return (
    <Hydrate>
      <AccountOverview accountId={accountId} />
    </Hydrate>
  )
}

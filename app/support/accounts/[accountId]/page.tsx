import { rangeFrom } from '#server/modules/analytics/schema'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { AccountOverview } from './_parts/AccountOverview'

interface Props {
  params: Promise<{ accountId: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export default async function AccountPage({ params, searchParams }: Props) {
  const range = rangeFrom(await searchParams, '30d')
  const { accountId } = await params
  await load(trpc.support.account.queryOptions({ accountId }))
  await load(trpc.support.limits.queryOptions({ accountId }))
  await load(trpc.support.usage.queryOptions({ accountId, ...range, split: 'key' }))
  return (
    <Hydrate>
      <AccountOverview accountId={accountId} initialRange={range} />
    </Hydrate>
  )
}

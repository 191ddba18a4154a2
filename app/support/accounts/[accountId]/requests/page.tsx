import { Hydrate, loadPages, trpc } from '../../../../_trpc/server'
import { SupportRequests } from './_parts/SupportRequests'

interface Props {
  params: Promise<{ accountId: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export default async function SupportRequestsPage({ params, searchParams }: Props) {
  const { accountId } = await params
  const { keyId: named } = await searchParams
  const keyId = typeof named === 'string' && /^key_\w{1,60}$/.test(named) ? named : undefined
  await loadPages(
    trpc.support.requests.infiniteQueryOptions({ accountId, keyId }, { initialCursor: undefined, getNextPageParam: () => undefined }),
  )
  return (
    <Hydrate>
      <SupportRequests accountId={accountId} initialKey={keyId} />
    </Hydrate>
  )
}

import { TIMELINE_KIND_NAMES } from '#server/modules/backoffice/support/state'
import { Hydrate, loadPages, trpc } from '../../../../_trpc/server'
import { Timeline } from './_parts/Timeline'

interface Props {
  params: Promise<{ accountId: string }>
  searchParams: Promise<{ kinds?: string | string[] }>
}

export default async function TimelinePage({ params, searchParams }: Props) {
  const [{ accountId }, { kinds: asked = '' }] = await Promise.all([params, searchParams])
  const named = String(asked).split(',')
  // Leaves out an unknown kind in the address.
  const kinds = TIMELINE_KIND_NAMES.filter((kind) => named.includes(kind))
  await loadPages(
    trpc.support.timeline.infiniteQueryOptions({ accountId, kinds }, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
  )
  return (
    <Hydrate>
      <Timeline accountId={accountId} initial={kinds} />
    </Hydrate>
  )
}

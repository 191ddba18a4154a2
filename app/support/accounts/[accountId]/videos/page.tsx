import { Hydrate, loadPages, trpc } from '../../../../_trpc/server'
import { FILTERS } from './_parts/filters'
import { SupportVideos } from './_parts/SupportVideos'

interface Props {
  params: Promise<{ accountId: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export default async function SupportVideosPage({ params, searchParams }: Props) {
  const { accountId } = await params
  const { filter } = await searchParams
  const initial = FILTERS.find(({ value }) => value === filter)?.value ?? 'ALL'
  await loadPages(
    trpc.support.videos.infiniteQueryOptions(
      { accountId, filter: initial === 'ALL' ? undefined : initial },
      { initialCursor: undefined, getNextPageParam: () => undefined },
    ),
  )
  return (
    <Hydrate>
      <SupportVideos accountId={accountId} initial={initial} />
    </Hydrate>
  )
}

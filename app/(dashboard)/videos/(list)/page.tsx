import type { Metadata } from 'next'
import { dashboardListInput, listFilter, listSort } from '#server/modules/videos/schema'
import { requireSession } from '../../../_auth'
import { Hydrate, loadPages, trpc } from '../../../_trpc/server'
import { Videos } from './_parts/Videos'

export const metadata: Metadata = { title: 'Videos' }

type Asked = Partial<Record<'filter' | 'sort' | 'search', string | string[]>>

export default async function VideosPage({ searchParams }: { searchParams: Promise<Asked> }) {
  await requireSession('/videos')
  const asked = await searchParams
  const filter = listFilter.safeParse(asked.filter).data
  const sort = listSort.safeParse(asked.sort).data
  const search = dashboardListInput.shape.search.safeParse(asked.search).data || undefined
  const shown = { filter, sort, search }
  await loadPages(trpc.video.list.infiniteQueryOptions(shown, { initialCursor: undefined, getNextPageParam: () => undefined }))
  return (
    <Hydrate>
      <Videos initial={shown} />
    </Hydrate>
  )
}

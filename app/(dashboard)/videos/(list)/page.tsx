import type { Metadata } from 'next'
import { dashboardListInput, listFilter, listSort } from '#server/modules/videos/schema'
import { requireSession } from '../../../_auth'
import { Hydrate, load, loadPages, trpc } from '../../../_trpc/server'
import { Videos } from './_parts/Videos'

export const metadata: Metadata = { title: 'Videos' }

type Asked = Partial<Record<'filter' | 'sort' | 'search' | 'collection', string | string[]>>

export default async function VideosPage({ searchParams }: { searchParams: Promise<Asked> }) {
  await requireSession('/videos')
  const asked = await searchParams
  const filter = listFilter.safeParse(asked.filter).data
  const sort = listSort.safeParse(asked.sort).data
  const search = dashboardListInput.shape.search.safeParse(asked.search).data || undefined
  const collection = dashboardListInput.shape.collection.safeParse(asked.collection).data || undefined
  const shown = { filter, sort, search, collection }
  await Promise.all([
    load(trpc.collection.list.queryOptions()),
    loadPages(trpc.video.list.infiniteQueryOptions(shown, { initialCursor: undefined, getNextPageParam: () => undefined })),
  ])
  return (
    <Hydrate>
      <Videos initial={shown} />
    </Hydrate>
  )
}

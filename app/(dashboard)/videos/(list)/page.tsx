import type { Metadata } from 'next'
import { listFilter, listSort } from '#server/video/schema'
import { requireSession } from '../../../_auth'
import { Hydrate, loadPages, trpc } from '../../../_trpc/server'
import { Videos } from './_parts/Videos'

export const metadata: Metadata = { title: 'Videos' }

export default async function VideosPage({
  searchParams,
}: {
  searchParams: Promise<{ filter?: string | string[]; sort?: string | string[] }>
}) {
  await requireSession('/videos')
  const asked = await searchParams
  const filter = listFilter.safeParse(asked.filter).data
  const sort = listSort.safeParse(asked.sort).data
  await loadPages(trpc.video.list.infiniteQueryOptions({ filter, sort }, { initialCursor: undefined, getNextPageParam: () => undefined }))
  return (
    <Hydrate>
      <Videos initialFilter={filter} initialSort={sort} />
    </Hydrate>
  )
}

import type { Metadata } from 'next'
import { listFilter } from '#server/video/schema'
import { requireSession } from '../../../_auth'
import { Hydrate, loadPages, trpc } from '../../../_trpc/server'
import { Videos } from './_parts/Videos'

export const metadata: Metadata = { title: 'Videos' }

export default async function VideosPage({ searchParams }: { searchParams: Promise<{ filter?: string | string[] }> }) {
  await requireSession('/videos')
  const filter = listFilter.safeParse((await searchParams).filter).data
  await loadPages(trpc.video.list.infiniteQueryOptions({ filter }, { initialCursor: undefined, getNextPageParam: () => undefined }))
  return (
    <Hydrate>
      <Videos initialFilter={filter} />
    </Hydrate>
  )
}

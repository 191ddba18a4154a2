import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { readListQuery } from '#server/modules/videos/list/list-schema'
import { requireSession } from '../../../_auth'
import { Hydrate, load, loadPages, trpc } from '../../../_trpc/server'
import { LAYOUT_COOKIE, readLayout } from './_parts/layout'
import { Videos } from './_parts/Videos'

export const metadata: Metadata = { title: 'Videos' }

type Asked = Record<string, string | string[] | undefined>

export default async function VideosPage({ searchParams }: { searchParams: Promise<Asked> }) {
  await requireSession('/videos')
  const pairs = Object.entries(await searchParams).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  const shown = readListQuery(new URLSearchParams(pairs))
  const layout = readLayout((await cookies()).get(LAYOUT_COOKIE)?.value)
  await Promise.all([
    load(trpc.collection.list.queryOptions()),
    loadPages(trpc.video.list.infiniteQueryOptions(shown, { initialCursor: undefined, getNextPageParam: () => undefined })),
  ])
  return (
    <Hydrate>
      <Videos initial={shown} initialLayout={layout} />
    </Hydrate>
  )
}

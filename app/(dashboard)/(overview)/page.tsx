import type { Metadata } from 'next'
import { env } from '#server/platform/config/config'
import { requireSession } from '../../_auth'
import { Hydrate, load, loadPages, trpc } from '../../_trpc/server'
import { Overview } from '../_parts/Overview'

export const metadata: Metadata = { title: 'Overview' }

export default async function OverviewPage() {
  await requireSession('/')
  const videos = trpc.video.list.infiniteQueryOptions({}, { initialCursor: undefined, getNextPageParam: () => undefined })
  await Promise.all([load(trpc.account.overview.queryOptions()), load(trpc.account.firstSteps.queryOptions()), loadPages(videos)])
  return (
    <Hydrate>
      <Overview baseUrl={env().BASE_URL} />
    </Hydrate>
  )
}

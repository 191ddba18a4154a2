import type { Metadata } from 'next'
import { contentAccessOf } from '#server/modules/audit/content-access'
import { requireSession } from '../../../../_auth'
import { Hydrate, load, loadPages, trpc } from '../../../../_trpc/server'
import { PersonPage } from './_parts/PersonPage'

/** Without the ID, which browsers would keep in their history. */
export const metadata: Metadata = { title: 'Viewer' }

export default async function Page({ params }: { params: Promise<{ reference: string }> }) {
  const { reference } = await params
  if (contentAccessOf(await requireSession(`/viewers/people/${reference}`))) {
    await load(trpc.viewing.person.queryOptions({ reference }))
    await loadPages(
      trpc.viewing.personVideos.infiniteQueryOptions({ reference }, { initialCursor: undefined, getNextPageParam: () => undefined }),
    )
  }
  return (
    <Hydrate>
      <PersonPage reference={reference} />
    </Hydrate>
  )
}

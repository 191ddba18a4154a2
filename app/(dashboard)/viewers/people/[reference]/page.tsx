import type { Metadata } from 'next'
import { contentAccessOf } from '#server/modules/audit/content-access'
import { requireSession } from '../../../../_auth'
import { Hydrate, load, loadPages, trpc } from '../../../../_trpc/server'
import { PersonPage } from './_parts/PersonPage'

interface Props {
  params: Promise<{ reference: string }>
}

/** Loads the person whom the address names, for a member. Returns the reference. */
async function loadPerson(params: Props['params']): Promise<string> {
  const { reference } = await params
  const shows = contentAccessOf(await requireSession(`/viewers/people/${reference}`))
  if (!shows) return reference
  await load(trpc.viewing.person.queryOptions({ reference }))
  await loadPages(
    trpc.viewing.personVideos.infiniteQueryOptions({ reference }, { initialCursor: undefined, getNextPageParam: () => undefined }),
  )
  return reference
}

/** Without the ID, which browsers would keep in their history. Waits for the person, so that a missing one is a 404. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  await loadPerson(params)
  return { title: 'Viewer' }
}

export default async function Page({ params }: Props) {
  const reference = await loadPerson(params)
  return (
    <Hydrate>
      <PersonPage reference={reference} />
    </Hydrate>
  )
}

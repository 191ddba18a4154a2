import { Hydrate, loadPages, trpc } from '../../../../_trpc/server'
import { Notes } from './_parts/Notes'

export default async function NotesPage({ params }: { params: Promise<{ accountId: string }> }) {
  const { accountId } = await params
  await loadPages(trpc.support.notes.infiniteQueryOptions({ accountId }, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }))
  return (
    <Hydrate>
      <Notes accountId={accountId} />
    </Hydrate>
  )
}

import { loadPages, pageOf, trpc } from '../../../../_trpc/server'
import { Notes } from './_parts/Notes'

export default pageOf(
  (asked) => loadPages(trpc.support.notes.infiniteQueryOptions(asked, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined })),
  Notes,
)

import type { Metadata } from 'next'
import { contentAccessOf } from '#server/modules/audit/content-access'
import { snippetValues } from '#server/modules/dashboard/snippet-values'
import { env } from '#server/platform/config/config'
import { requireSession } from '../../../../_auth'
import { Hydrate, loadPages, trpc } from '../../../../_trpc/server'
import { tokenSnippet } from '../../../_parts/token-snippet'
import { People } from '../_parts/People'

export const metadata: Metadata = { title: 'People' }

export default async function PeoplePage() {
  const session = await requireSession('/viewers/people')
  const shows = contentAccessOf(session) !== undefined
  const first = trpc.viewing.people.infiniteQueryOptions({}, { initialCursor: undefined, getNextPageParam: () => undefined })
  const [{ liveKey, testKey, videoId }] = await Promise.all([snippetValues(session), shows && loadPages(first)])
  const prefix = liveKey ?? testKey
  return (
    <Hydrate>
      <People snippet={tokenSnippet(env().BASE_URL, videoId ?? '<VIDEO_ID>', prefix ? `${prefix}…` : undefined, 'student-42')} />
    </Hydrate>
  )
}

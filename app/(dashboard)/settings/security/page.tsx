import type { Metadata } from 'next'
import { requireSession } from '../../../_auth'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { NotShown } from '../_parts/NotShown'
import { Security } from '../_parts/Security'

export const metadata: Metadata = { title: 'Security' }

type Search = Partial<Record<'connected' | 'taken', string | string[]>>

export default async function SecurityPage({ searchParams }: { searchParams: Promise<Search> }) {
  const session = await requireSession('/settings/security')
  if (session.ownerView) return <NotShown />
  await Promise.all([load(trpc.user.security.queryOptions()), load(trpc.user.sessions.queryOptions())])
  const { connected, taken } = await searchParams
  return (
    <Hydrate>
      <Security came={connected !== undefined ? 'connected' : taken !== undefined ? 'taken' : undefined} />
    </Hydrate>
  )
}

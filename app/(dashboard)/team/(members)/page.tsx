import type { Metadata } from 'next'
import { requireSession } from '../../../_auth'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { Team } from './_parts/Team'

export const metadata: Metadata = { title: 'Team' }

export default async function TeamPage() {
  await requireSession('/team')
  await load(trpc.team.list.queryOptions())
  return (
    <Hydrate>
      <Team />
    </Hydrate>
  )
}

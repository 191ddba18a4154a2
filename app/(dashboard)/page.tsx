import type { Metadata } from 'next'
import { env } from '#server/infra/env'
import { requireSession } from '../_auth'
import { Hydrate, load, trpc } from '../_trpc/server'
import { Overview } from './_parts/Overview'

export const metadata: Metadata = { title: 'Overview' }

export default async function OverviewPage() {
  await requireSession('/')
  await load(trpc.account.overview.queryOptions())
  return (
    <Hydrate>
      <Overview baseUrl={env().BASE_URL} />
    </Hydrate>
  )
}

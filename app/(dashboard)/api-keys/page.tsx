import type { Metadata } from 'next'
import { env } from '#server/platform/config/config'
import { requireSession } from '../../_auth'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { Keys } from './_parts/Keys'

export const metadata: Metadata = { title: 'API Keys' }

export default async function KeysPage() {
  await requireSession('/api-keys')
  await load(trpc.key.list.queryOptions())
  return (
    <Hydrate>
      <Keys baseUrl={env().BASE_URL} />
    </Hydrate>
  )
}

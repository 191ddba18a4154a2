import type { Metadata } from 'next'
import { requireSession } from '../../../_auth'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { Endpoints } from '../_parts/Endpoints'

export const metadata: Metadata = { title: 'Webhooks' }

export default async function WebhooksPage() {
  await requireSession('/webhooks')
  await load(trpc.webhook.list.queryOptions())
  return (
    <Hydrate>
      <Endpoints />
    </Hydrate>
  )
}

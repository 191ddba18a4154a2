import type { Metadata } from 'next'
import { rangeFrom, usageInput } from '#server/modules/analytics/schema'
import { requireSession } from '../../_auth'
import { ENDPOINTS } from '../../_endpoints'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { Usage } from './_parts/Usage'

export const metadata: Metadata = { title: 'Usage' }

export default async function UsagePage({ searchParams }: { searchParams: Promise<Record<string, string | string[]>> }) {
  await requireSession('/usage')
  const address = await searchParams
  const split = usageInput.shape.split.safeParse(address.split).data
  const range = rangeFrom(address, '30d')
  const asked = { ...range, ...(split && { split }) }
  await Promise.all([
    load(trpc.traffic.usage.queryOptions(asked)),
    load(trpc.viewing.delivered.queryOptions(range)),
    load(trpc.account.storage.queryOptions()),
    load(trpc.account.records.queryOptions()),
  ])
  return (
    <Hydrate>
      <Usage initial={asked} endpoints={ENDPOINTS} />
    </Hydrate>
  )
}

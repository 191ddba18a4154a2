import type { Metadata } from 'next'
import { usageInput } from '#server/modules/analytics/schema'
import { requireSession } from '../../_auth'
import { ENDPOINTS } from '../../_endpoints'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { usageFrom } from './_parts/ranges'
import { Usage } from './_parts/Usage'

export const metadata: Metadata = { title: 'Usage' }

export default async function UsagePage({ searchParams }: { searchParams: Promise<Record<string, string | string[]>> }) {
  await requireSession('/usage')
  const today = new Date().toISOString().slice(0, 10)
  const asked = usageFrom(await searchParams, today, usageInput)
  await Promise.all([load(trpc.traffic.usage.queryOptions(asked)), load(trpc.account.storage.queryOptions())])
  return (
    <Hydrate>
      <Usage initial={asked} today={today} endpoints={ENDPOINTS} />
    </Hydrate>
  )
}

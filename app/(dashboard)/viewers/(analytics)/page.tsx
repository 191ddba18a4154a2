import type { Metadata } from 'next'
import { rangeFrom } from '#server/modules/analytics/schema'
import { requireSession } from '../../../_auth'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { onlyFrom } from '../_parts/only'
import { ViewersPage } from '../_parts/ViewersPage'

export const metadata: Metadata = { title: 'Viewers' }

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string | string[]>> }) {
  await requireSession('/viewers')
  const asked = await searchParams
  const range = rangeFrom(asked, '30d')
  const only = onlyFrom(asked.by, asked.value)
  await Promise.all([load(trpc.viewing.viewers.queryOptions({ ...range, ...(only && { only }) })), load(trpc.viewing.live.queryOptions())])
  return (
    <Hydrate>
      <ViewersPage initial={range} />
    </Hydrate>
  )
}

import type { Metadata } from 'next'
import { requireSession } from '../../_auth'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { daysFrom, lastDays } from './_parts/ranges'
import { ViewersPage } from './_parts/ViewersPage'

export const metadata: Metadata = { title: 'Viewers' }

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string | string[]>> }) {
  await requireSession('/viewers')
  const today = new Date().toISOString().slice(0, 10)
  const days = daysFrom((await searchParams).days)
  await Promise.all([load(trpc.viewing.viewers.queryOptions(lastDays(days, today))), load(trpc.viewing.live.queryOptions())])
  return (
    <Hydrate>
      <ViewersPage initial={days} today={today} />
    </Hydrate>
  )
}

import type { Metadata } from 'next'
import { fleetInput } from '#server/modules/support/schema'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { Fleet } from './_parts/Fleet'

export const metadata: Metadata = { title: 'Accounts' }

export default async function FleetPage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
  const { days, sort, page } = await searchParams
  const asked = fleetInput.safeParse({ days: days && Number(days), sort, page: page && Number(page) })
  const initial = asked.data ?? fleetInput.parse({})
  await load(trpc.support.fleet.queryOptions(initial))
  return (
    <Hydrate>
      <Fleet initial={initial} />
    </Hydrate>
  )
}

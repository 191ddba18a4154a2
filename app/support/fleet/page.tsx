import type { Metadata } from 'next'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { Fleet } from './_parts/Fleet'

export const metadata: Metadata = { title: 'Workers' }

export default async function FleetPage() {
  await load(trpc.support.fleet.queryOptions())
  return (
    <Hydrate>
      <Fleet />
    </Hydrate>
  )
}

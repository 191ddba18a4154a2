import type { Metadata } from 'next'
import { Hydrate, load, trpc } from '../_trpc/server'
import { Find } from './_parts/Find'

export const metadata: Metadata = { title: 'Search accounts' }

export default async function FindPage() {
  await load(trpc.support.recent.queryOptions())
  return (
    <Hydrate>
      <Find />
    </Hydrate>
  )
}

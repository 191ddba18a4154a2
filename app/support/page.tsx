import type { Metadata } from 'next'
import { Hydrate, load, trpc } from '../_trpc/server'
import { Find } from './_parts/Find'

export const metadata: Metadata = { title: 'Find an account' }

export default async function FindPage() {
  await load(trpc.support.recent.queryOptions())
  return (
    <Hydrate>
      <Find />
    </Hydrate>
  )
}

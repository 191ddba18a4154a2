import type { Metadata } from 'next'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { Access } from './_parts/Access'

export const metadata: Metadata = { title: 'Access' }

export default async function AccessPage() {
  await load(trpc.operator.listSupport.queryOptions())
  return (
    <Hydrate>
      <Access />
    </Hydrate>
  )
}

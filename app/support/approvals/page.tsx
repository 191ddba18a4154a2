import type { Metadata } from 'next'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { Approvals } from './_parts/Approvals'

export const metadata: Metadata = { title: 'Approvals' }

export default async function ApprovalsPage() {
  await load(trpc.support.approvals.queryOptions())
  return (
    <Hydrate>
      <Approvals />
    </Hydrate>
  )
}

import type { Metadata } from 'next'
import { load, pageOf, trpc } from '../../_trpc/server'
import { Approvals } from './_parts/Approvals'

export const metadata: Metadata = { title: 'Approvals' }

export default pageOf(() => load(trpc.support.approvals.queryOptions()), Approvals)

import type { Metadata } from 'next'
import { load, pageOf, trpc } from '../../_trpc/server'
import { QuotaRequests } from './_parts/QuotaRequests'

export const metadata: Metadata = { title: 'Quota requests' }

export default pageOf(() => load(trpc.support.quotaRequests.queryOptions()), QuotaRequests)

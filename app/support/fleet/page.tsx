import type { Metadata } from 'next'
import { load, pageOf, trpc } from '../../_trpc/server'
import { Fleet } from './_parts/Fleet'

export const metadata: Metadata = { title: 'Workers' }

export default pageOf(() => load(trpc.support.fleet.queryOptions()), Fleet)

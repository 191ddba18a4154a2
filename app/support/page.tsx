import type { Metadata } from 'next'
import { load, pageOf, trpc } from '../_trpc/server'
import { Find } from './_parts/Find'

export const metadata: Metadata = { title: 'Search accounts' }

export default pageOf(() => load(trpc.support.recent.queryOptions()), Find)

import type { Metadata } from 'next'
import { load, pageOf, trpc } from '../../_trpc/server'
import { Access } from './_parts/Access'

export const metadata: Metadata = { title: 'Access' }

export default pageOf(() => load(trpc.operator.listSupport.queryOptions()), Access)

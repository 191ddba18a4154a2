import type { Metadata } from 'next'
import { load, pageOf, trpc } from '../../_trpc/server'
import { Backups } from './_parts/Backups'

export const metadata: Metadata = { title: 'Backups' }

export default pageOf(() => load(trpc.support.backups.queryOptions()), Backups)

import type { Metadata } from 'next'
import { load, pageOf, trpc } from '../../_trpc/server'
import { AllAnnouncements } from './_parts/AllAnnouncements'

export const metadata: Metadata = { title: 'Announcements' }

export default pageOf(() => load(trpc.operator.listAnnouncements.queryOptions()), AllAnnouncements)

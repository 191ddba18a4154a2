import type { Metadata } from 'next'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { AllAnnouncements } from './_parts/AllAnnouncements'

export const metadata: Metadata = { title: 'Announcements' }

export default async function AllAnnouncementsPage() {
  await load(trpc.operator.listAnnouncements.queryOptions())
  return (
    <Hydrate>
      <AllAnnouncements />
    </Hydrate>
  )
}

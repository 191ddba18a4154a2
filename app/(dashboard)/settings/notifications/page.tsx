import type { Metadata } from 'next'
import { requireSession } from '../../../_auth'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { Notifications } from '../_parts/Notifications'

export const metadata: Metadata = { title: 'Notifications' }

export default async function NotificationsPage() {
  await requireSession('/settings/notifications')
  await load(trpc.account.thresholds.queryOptions())
  return (
    <Hydrate>
      <Notifications />
    </Hydrate>
  )
}

import type { ReactNode } from 'react'
import { getCurrentUser } from '#server/modules/auth/get-current-user'
import { shownAnnouncements } from '#server/modules/operator/shown-announcements'
import { env } from '#server/platform/config'
import { requireSession } from '../_auth'
import { TrpcProvider } from '../_trpc/client'
import { LiveVideos } from './_parts/LiveVideos'
import { PermissionsProvider } from './_parts/permissions'
import { Shell } from './_parts/Shell'
import { UploadsProvider } from './_parts/uploads/UploadsProvider'

export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const session = await requireSession('/')
  const [who, announcements] = await Promise.all([getCurrentUser(session), shownAnnouncements(session)])
  return (
    <TrpcProvider accountId={who.account.id}>
      <LiveVideos />
      <PermissionsProvider role={who.role} suspended={who.suspended !== null} readOnly={who.ownerView !== null}>
        <UploadsProvider accountId={who.account.id} maxBytes={env().MAX_UPLOAD_BYTES}>
          <Shell me={who} baseUrl={env().BASE_URL} announcements={announcements}>
            {children}
          </Shell>
        </UploadsProvider>
      </PermissionsProvider>
    </TrpcProvider>
  )
}

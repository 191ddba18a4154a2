import type { ReactNode } from 'react'
import type { AccountCtx } from '#server/context'
import { shownAnnouncements } from '#server/modules/backoffice/operator/announcements'
import { getCurrentUser } from '#server/modules/identity/sessions/get-current-user'
import { env } from '#server/platform/config/config'
import { TrpcProvider } from '../_trpc/client'
import { LiveVideos } from './_parts/LiveVideos'
import { PermissionsProvider } from './_parts/permissions'
import { Shell } from './_parts/Shell'
import { UploadsProvider } from './_parts/uploads/UploadsProvider'

/** Lays out a page of the dashboard: its navigation, and what all of its pages share. */
export async function DashboardFrame({ ctx, children }: { ctx: AccountCtx; children: ReactNode }) {
  const [who, announcements] = await Promise.all([getCurrentUser(ctx), shownAnnouncements(ctx)])
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

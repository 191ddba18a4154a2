import type { ReactNode } from 'react'
import { getCurrentUser } from '#server/modules/auth/get-current-user'
import { env } from '#server/platform/config'
import { requireSession } from '../_auth'
import { TrpcProvider } from '../_trpc/client'
import { LiveVideos } from './_parts/LiveVideos'
import { PermissionsProvider } from './_parts/permissions'
import { Shell } from './_parts/Shell'
import { UploadsProvider } from './_parts/uploads/UploadsProvider'

export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const who = await getCurrentUser(await requireSession('/'))
  return (
    <TrpcProvider accountId={who.account.id}>
      <LiveVideos />
      <PermissionsProvider role={who.role} suspended={who.suspended !== null}>
        <UploadsProvider accountId={who.account.id} maxBytes={env().MAX_UPLOAD_BYTES}>
          <Shell me={who} baseUrl={env().BASE_URL}>
            {children}
          </Shell>
        </UploadsProvider>
      </PermissionsProvider>
    </TrpcProvider>
  )
}

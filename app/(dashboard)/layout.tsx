import type { ReactNode } from 'react'
import { me } from '#server/account/me'
import { env } from '#server/infra/env'
import { requireSession } from '../_auth'
import { TrpcProvider } from '../_trpc/client'
import { LiveVideos } from './_parts/LiveVideos'
import { Shell } from './_parts/Shell'
import { UploadsProvider } from './_parts/uploads/UploadsProvider'

export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const who = await me(await requireSession('/'))
  return (
    <TrpcProvider>
      <LiveVideos />
      <UploadsProvider accountId={who.account.id} maxBytes={env().MAX_UPLOAD_BYTES}>
        <Shell me={who}>{children}</Shell>
      </UploadsProvider>
    </TrpcProvider>
  )
}

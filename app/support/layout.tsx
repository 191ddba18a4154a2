import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { isServiceError } from '#server/errors'
import { requireStaff } from '#server/modules/support/staff'
import { currentSession } from '../_auth'
import { TrpcProvider } from '../_trpc/client'
import { SupportShell } from './_parts/SupportShell'

export const metadata: Metadata = { title: { default: 'Support', template: '%s · Reelgate support' } }

/** Lays out the pages of support staff. Each procedure checks access to its data again; this only hides the frame from other users. */
export default async function SupportLayout({ children }: { children: ReactNode }) {
  const session = await currentSession()
  const { staff } = await requireStaff(session?.own ?? session?.ctx, '').catch((error: unknown) => {
    if (isServiceError(error) && error.code === 'NOT_FOUND') notFound()
    // Only staff reach this: they have a second factor to set up.
    if (isServiceError(error) && error.code === 'FORBIDDEN') redirect('/two-factor')
    throw error
  })
  if (session?.owesSecondFactor) redirect('/two-factor')
  return (
    <TrpcProvider>
      <SupportShell email={staff.email}>{children}</SupportShell>
    </TrpcProvider>
  )
}

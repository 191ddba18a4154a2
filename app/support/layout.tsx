import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { isServiceError } from '#server/errors'
import { requireStaff } from '#server/modules/support/staff'
import { currentSession } from '../_auth'
import { TrpcProvider } from '../_trpc/client'
import { SupportShell } from './_parts/SupportShell'

export const metadata: Metadata = { title: { default: 'Support', template: '%s · Reelgate support' } }

/** The pages of support staff. What they read is checked again in each procedure; here it is only that nobody else sees a frame. */
export default async function SupportLayout({ children }: { children: ReactNode }) {
  const session = await currentSession()
  const { staff } = await requireStaff(session?.ctx, '').catch((error: unknown) => {
    if (isServiceError(error) && error.code === 'NOT_FOUND') notFound()
    // Only staff get here: they have a second factor to set up.
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

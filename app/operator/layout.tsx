import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { isServiceError } from '#server/errors'
import { requireOperator } from '#server/modules/backoffice/operator/roles'
import { currentSession } from '../_auth'
import { StaffShell } from '../_parts/staff/StaffShell'
import { TrpcProvider } from '../_trpc/client'

export const metadata: Metadata = { title: { default: 'Operator console', template: '%s · Reelgate operator' } }

const PLACES = [
  { href: '/operator', title: 'Status' },
  { href: '/operator/settings', title: 'Settings' },
  { href: '/operator/announcements', title: 'Announcements' },
  { href: '/operator/access', title: 'Access' },
  { href: '/operator/log', title: 'Log' },
  { href: '/operator/guides/runbooks', title: 'Guides', below: '/operator/guides/' },
]

/** Lays out the operator console. Each procedure checks access to its data again; this only hides the frame from other users. */
export default async function OperatorLayout({ children }: { children: ReactNode }) {
  const session = await currentSession()
  const { by } = await requireOperator(session?.own ?? session?.ctx).catch((error: unknown) => {
    if (isServiceError(error) && error.code === 'NOT_FOUND') notFound()
    // Only operators get here, and have to set up a second factor.
    if (isServiceError(error) && error.code === 'FORBIDDEN') redirect('/two-factor')
    throw error
  })
  if (session?.owesSecondFactor) redirect('/two-factor')
  return (
    <TrpcProvider>
      <StaffShell email={by.email ?? ''} area="operator" title="Operator" places={PLACES} links={[{ href: '/support', title: 'Support' }]}>
        {children}
      </StaffShell>
    </TrpcProvider>
  )
}

import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import type { AccountCtx } from '#server/context'
import { isServiceError } from '#server/errors'
import { requireOperator } from '#server/modules/backoffice/operator/roles'
import { requireStaff } from '#server/modules/backoffice/support/staff'
import { currentSession } from '../_auth'
import { StaffShell } from '../_parts/staff/StaffShell'
import { TrpcProvider } from '../_trpc/client'

export const metadata: Metadata = { title: { default: 'Support', template: '%s · Reelgate support' } }

const PLACES = [
  { href: '/support', title: 'Search', below: '/support/accounts/' },
  { href: '/support/quota-requests', title: 'Quota requests' },
  { href: '/support/approvals', title: 'Approvals' },
  { href: '/support/accounts', title: 'Accounts' },
  { href: '/support/fleet', title: 'Workers' },
  { href: '/support/backups', title: 'Backups' },
]

const isOperator = (session: AccountCtx | undefined) =>
  requireOperator(session).then(
    () => true,
    () => false,
  )

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
      <StaffShell
        email={staff.email}
        area="support"
        title="Support"
        places={PLACES}
        links={(await isOperator(session?.own ?? session?.ctx)) ? [{ href: '/operator', title: 'Operator console' }] : []}
      >
        {children}
      </StaffShell>
    </TrpcProvider>
  )
}

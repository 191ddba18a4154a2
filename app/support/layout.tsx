import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import type { AccountCtx } from '#server/context'
import { isServiceError } from '#server/errors'
import { requireOperator } from '#server/modules/backoffice/operator/roles'
import { requireStaff } from '#server/modules/backoffice/support/staff'
import { currentSession } from '../_auth'
import { TrpcProvider } from '../_trpc/client'
import { Hydrate, load, trpc } from '../_trpc/server'
import { SupportShell } from './_parts/SupportShell'

export const metadata: Metadata = { title: { default: 'Support', template: '%s · Reelgate support' } }

const isOperator = (session: AccountCtx | undefined) =>
  requireOperator(session).then(
    () => true,
    () => false,
  )

/** Lays out the support pages. Each procedure checks access to its data again; this only hides the frame from other users. */
export default async function SupportLayout({ children }: { children: ReactNode }) {
  const session = await currentSession()
  const { staff } = await requireStaff(session?.own ?? session?.ctx, '').catch((error: unknown) => {
    if (isServiceError(error) && error.code === 'NOT_FOUND') notFound()
    // Only staff get here, and have to set up a second factor.
    if (isServiceError(error) && error.code === 'FORBIDDEN') redirect('/two-factor')
    throw error
  })
  if (session?.owesSecondFactor) redirect('/two-factor')
  await load(trpc.support.pending.queryOptions())
  return (
    <TrpcProvider>
      <Hydrate>
        <SupportShell email={staff.email} isOperator={await isOperator(session?.own ?? session?.ctx)}>
          {children}
        </SupportShell>
      </Hydrate>
    </TrpcProvider>
  )
}

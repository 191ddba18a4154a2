import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import type { AccountCtx } from '#server/context'
import { isServiceError } from '#server/errors'
import { requireStaff } from '#server/modules/backoffice/support/staff'
import { getCurrentUser } from '#server/modules/identity/sessions/get-current-user'
import { getSignInMethods } from '#server/modules/identity/sign-in/providers'
import { currentSession } from '../../_auth'
import { AuthCard } from '../_parts/AuthCard'
import { RequiredTotp } from './_parts/RequiredTotp'

export const metadata: Metadata = { title: 'Two-factor sign-in' }

/** Shown to a user whose account, or whose role as support staff, requires a second factor that is not set up. */
export default async function TwoFactorPage() {
  const session = await currentSession()
  if (!session) redirect('/sign-in?from=/two-factor')
  const { ctx, owesSecondFactor } = session
  if (!owesSecondFactor && !(await owesAsStaff(ctx))) redirect('/')
  const [{ account, accounts, email }, { hasPassword }] = await Promise.all([getCurrentUser(ctx), getSignInMethods(ctx)])
  const purpose = owesSecondFactor
    ? `${account.name} requires two-factor sign-in for all members. Set it up to continue.`
    : 'Support staff must use two-factor sign-in. Set it up to open the support pages.'
  return (
    <AuthCard title="Set up two-factor sign-in" purpose={purpose} other={`You are signed in as ${email}.`}>
      <RequiredTotp
        hasPassword={hasPassword}
        next={owesSecondFactor ? '/' : '/support'}
        account={owesSecondFactor ? account.name : undefined}
        others={owesSecondFactor ? accounts.filter(({ id }) => id !== account.id).map(({ id, name }) => ({ id, name })) : []}
      />
    </AuthCard>
  )
}

async function owesAsStaff(ctx: AccountCtx): Promise<boolean> {
  try {
    await requireStaff(ctx, '')
    return false
  } catch (error) {
    if (!isServiceError(error)) throw error
    return error.code === 'FORBIDDEN'
  }
}

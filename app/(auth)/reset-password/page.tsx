import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import { isMailConfigured } from '#server/platform/mail'
import { AuthCard } from '../_parts/AuthCard'
import { ResetForm } from '../_parts/ResetForm'

export const metadata: Metadata = { title: 'New password', referrer: 'no-referrer' }

export const dynamic = 'force-dynamic'

export default function ResetPasswordPage() {
  const other = (
    <>
      {isMailConfigured() && (
        <>
          <Anchor underline="always" href="/forgot-password">
            Request a new link
          </Anchor>
          {' · '}
        </>
      )}
      <Anchor underline="always" href="/sign-in">
        Back to sign in
      </Anchor>
    </>
  )
  return (
    <AuthCard title="Reset your password" purpose="This signs you out of all devices. Sign in again with the new password." other={other}>
      <ResetForm />
    </AuthCard>
  )
}

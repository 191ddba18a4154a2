import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import { AuthCard } from '../_parts/AuthCard'
import { ResetForm } from '../_parts/ResetForm'

export const metadata: Metadata = { title: 'New password', referrer: 'no-referrer' }

export default function ResetPasswordPage() {
  const other = (
    <Anchor underline="always" href="/sign-in">
      Back to sign in
    </Anchor>
  )
  return (
    <AuthCard title="Reset your password" purpose="This signs you out of all devices. Sign in again with the new password." other={other}>
      <ResetForm />
    </AuthCard>
  )
}

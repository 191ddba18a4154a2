import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import { AuthCard } from '../_parts/AuthCard'
import { ResetForm } from '../_parts/ResetForm'

export const metadata: Metadata = { title: 'New password', referrer: 'no-referrer' }

export default function ResetPasswordPage() {
  const other = (
    <Anchor underline="always" href="/sign-in">
      Back to signing in
    </Anchor>
  )
  return (
    <AuthCard title="Choose a new password" purpose="You are signed out everywhere, and sign in with it." other={other}>
      <ResetForm />
    </AuthCard>
  )
}

import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { isMailConfigured } from '#server/platform/mail'
import { AuthCard } from '../_parts/AuthCard'
import { ForgotForm } from '../_parts/ForgotForm'

export const metadata: Metadata = { title: 'Forgot password' }

export default function ForgotPasswordPage() {
  if (!isMailConfigured()) notFound()
  const other = (
    <Anchor underline="always" href="/sign-in">
      Back to sign in
    </Anchor>
  )
  return (
    <AuthCard title="Reset your password" purpose="We email you a link that is valid for one hour." other={other}>
      <ForgotForm />
    </AuthCard>
  )
}

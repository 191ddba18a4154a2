import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import { AuthCard } from '../../_parts/AuthCard'
import { FinishSignUpForm } from '../../_parts/FinishSignUpForm'

export const metadata: Metadata = { title: 'Finish signing up', referrer: 'no-referrer' }

export default function FinishSignUpPage() {
  const other = (
    <>
      Have an account?{' '}
      <Anchor underline="always" href="/sign-in">
        Sign in
      </Anchor>
    </>
  )
  return (
    <AuthCard title="Finish creating your account" purpose="Your email address is confirmed. Choose a password to continue." other={other}>
      <FinishSignUpForm />
    </AuthCard>
  )
}

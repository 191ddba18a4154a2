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
    <AuthCard title="Open your account" purpose="Your e-mail is confirmed by the link. One thing is left to choose." other={other}>
      <FinishSignUpForm />
    </AuthCard>
  )
}

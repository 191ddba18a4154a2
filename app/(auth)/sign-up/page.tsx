import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { mailIsSet } from '#server/infra/mail'
import { providerNames } from '#server/user/providers'
import { currentSession } from '../../_auth'
import { AuthCard } from '../_parts/AuthCard'
import { BeginSignUpForm } from '../_parts/BeginSignUpForm'
import { ProviderButtons } from '../_parts/ProviderButtons'
import { SignUpForm } from '../_parts/SignUpForm'

export const metadata: Metadata = { title: 'Create account' }

export default async function SignUpPage() {
  if (await currentSession()) redirect('/')
  const other = (
    <>
      Have an account?{' '}
      <Anchor underline="always" href="/sign-in">
        Sign in
      </Anchor>
    </>
  )
  return (
    <AuthCard title="Create your account" purpose="Upload videos, create keys, play them anywhere." other={other}>
      {mailIsSet() ? <BeginSignUpForm /> : <SignUpForm />}
      <ProviderButtons providers={providerNames()} from={undefined} />
    </AuthCard>
  )
}

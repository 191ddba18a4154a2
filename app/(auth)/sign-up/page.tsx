import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { providerNames } from '#server/modules/identity/sign-in/providers'
import { signUpOffer, signUpRefusal } from '#server/modules/identity/sign-in/sign-up-policy'
import { currentSession } from '../../_auth'
import { Notice } from '../../_ui/Notice'
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
  const { form, says } = signUpOffer()
  const providers = providerNames().filter(({ id }) => !signUpRefusal(id))
  if (!form)
    return (
      <AuthCard
        title={providers.length > 0 ? 'Create your account' : 'Sign-up is closed'}
        purpose="The operator of this service decides who can sign up."
        other={other}
      >
        <Notice tone="info">{says}</Notice>
        <ProviderButtons providers={providers} from={undefined} />
      </AuthCard>
    )
  return (
    <AuthCard title="Create your account" purpose={says ?? 'Upload videos, create API keys and play your videos anywhere.'} other={other}>
      {form === 'mail' ? <BeginSignUpForm /> : <SignUpForm />}
      <ProviderButtons providers={providers} from={undefined} />
    </AuthCard>
  )
}

import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { providerNames } from '#server/modules/identity/sign-in/providers'
import { PROVIDER_REFUSALS, type ProviderRefusal } from '#server/modules/identity/sign-in/schema'
import { signUpOffer, signUpRefusal } from '#server/modules/identity/sign-in/sign-up-policy'
import { pendingSignIn } from '#server/modules/identity/sign-in/verify-second-factor'
import { isMailConfigured } from '#server/platform/mail'
import { currentSession } from '../../_auth'
import { Notice } from '../../_ui/Notice'
import { AuthCard } from '../_parts/AuthCard'
import { CodeForm } from '../_parts/CodeForm'
import { ProviderButtons } from '../_parts/ProviderButtons'
import { SignInForm } from '../_parts/SignInForm'

export const metadata: Metadata = { title: 'Sign in' }

type Search = Partial<Record<'from' | 'callbackUrl' | 'error' | 'reset', string | string[]>>

const one = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined)

/** Returns the message for a sign-in that a provider or next-auth rejected; only fixed messages, whatever the address contains. */
const messageOf = (error: string | undefined) =>
  error && (PROVIDER_REFUSALS[error as ProviderRefusal] ?? 'Sign-in failed. Try again, or use another sign-in method.')

export default async function SignInPage({ searchParams }: { searchParams: Promise<Search> }) {
  if (await currentSession()) redirect('/')
  const search = await searchParams
  const from = one(search.from)
  if (await pendingSignIn((await headers()).get('cookie') ?? undefined))
    return (
      <AuthCard
        title="Two-factor sign-in"
        purpose="Enter a code to finish signing in."
        other="Lost your app and recovery codes? Contact the operator of this service."
      >
        <CodeForm from={from} />
      </AuthCard>
    )
  const problem = messageOf(one(search.error))
  const { form, says } = signUpOffer()
  const open = form !== undefined || providerNames().some(({ id }) => !signUpRefusal(id))
  const other = open ? (
    <>
      New here?{' '}
      <Anchor underline="always" href="/sign-up">
        Create an account
      </Anchor>
    </>
  ) : (
    says
  )
  return (
    <AuthCard title="Sign in" purpose="Manage your videos and API keys." other={other}>
      {problem && (
        <div style={{ marginBottom: 16 }}>
          <Notice tone="bad">{problem}</Notice>
        </div>
      )}
      {search.reset !== undefined && !problem && (
        <div style={{ marginBottom: 16 }}>
          <Notice tone="info">Password changed. Sign in with your new password.</Notice>
        </div>
      )}
      <SignInForm from={from} mail={isMailConfigured()} />
      <ProviderButtons providers={providerNames()} from={from} />
    </AuthCard>
  )
}

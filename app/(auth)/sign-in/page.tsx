import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { currentSession } from '../../_auth'
import { AuthCard } from '../_parts/AuthCard'
import { SignInForm } from '../_parts/SignInForm'

export const metadata: Metadata = { title: 'Sign in' }

export default async function SignInPage({ searchParams }: { searchParams: Promise<{ from?: string | string[] }> }) {
  if (await currentSession()) redirect('/')
  const { from } = await searchParams
  const other = (
    <>
      New here?{' '}
      <Anchor underline="always" href="/sign-up">
        Create an account
      </Anchor>
    </>
  )
  return (
    <AuthCard title="Sign in" purpose="To your videos and keys." other={other}>
      <SignInForm from={typeof from === 'string' ? from : undefined} />
    </AuthCard>
  )
}

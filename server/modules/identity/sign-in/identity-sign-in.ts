import type { AccountId } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import type { ClientInfo } from './client-ip.ts'
import type { ProvidedIdentity } from './identity-link.ts'
import type { ProviderRefusal } from './schema.ts'
import { markEmailVerified } from './sign-up.ts'
import { signUpRefusal } from './sign-up-policy.ts'
import { throttleSignUp } from './throttle.ts'

/**
 * Returns the user of a provider's identity. A new identity with a verified email becomes a user with an account. Having an existing user's
 * email is never enough to sign in as that user: they sign in as before and connect the provider in the settings. Throws TOO_MANY_ATTEMPTS.
 */
export async function signInWith(
  visitor: ClientInfo,
  identity: ProvidedIdentity,
): Promise<{ userId: string; mfaPending: boolean } | { refused: ProviderRefusal }> {
  const { issuer, subject, provider, emailVerified } = identity
  const known = await db().userIdentity.findUnique({
    where: { issuer_subject: { issuer, subject } },
    select: {
      user: {
        select: {
          id: true,
          email: true,
          emailVerifiedAt: true,
          totpConfirmedAt: true,
          suspendedAt: true,
          _count: { select: { memberships: true } },
        },
      },
    },
  })
  if (known?.user.suspendedAt) return { refused: 'suspended' }
  if (known?.user._count.memberships === 0) return { refused: 'no-account' }
  if (known && !known.user.emailVerifiedAt && emailVerified && identity.email?.toLowerCase() === known.user.email)
    await db().$transaction((tx) => markEmailVerified(tx, known.user.id))
  if (known) return { userId: known.user.id, mfaPending: known.user.totpConfirmedAt !== null }
  if (!identity.email || !emailVerified) return { refused: 'email-unverified' }
  const email = identity.email.toLowerCase()
  if (await db().user.findUnique({ where: { email }, select: { id: true } })) return { refused: 'connect-first' }
  if (signUpRefusal(provider, email)) return { refused: 'sign-up-closed' }
  throttleSignUp(visitor.address)
  const userId = newId('usr')
  const accountId = newId('acc') as AccountId
  const name = email.slice(0, email.indexOf('@'))
  try {
    await db().$transaction(async (tx) => {
      await tx.user.create({ data: { id: userId, email, identities: { create: { issuer, subject, provider, email } } } })
      await markEmailVerified(tx, userId)
      await tx.account.create({ data: { id: accountId, name, members: { create: { userId, role: 'OWNER' } } } })
      const actor = { kind: 'user', userId, email, role: 'OWNER' } as const
      await record(tx, { accountId, actor }, { action: 'account.sign-up', subject: accountId, after: { name, owner: email, provider } })
    })
  } catch (error) {
    // A concurrent sign-up took the e-mail.
    if ((error as { code?: string }).code === 'P2002') return { refused: 'connect-first' }
    throw error
  }
  return { userId, mfaPending: false }
}

import { type AccountCtx, requireUser } from '../../../context.ts'
import { env } from '../../../platform/config/config.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { isMailConfigured } from '../../../platform/mail.ts'
import type { ProviderId } from './schema.ts'

/** An identity provider for signing in. */
export interface Provider {
  id: ProviderId
  /** As in "Continue with …". */
  name: string
  /** Issuer of the subject identifiers. */
  issuer: string
  clientId: string
  clientSecret: string
}

const GOOGLE = 'https://accounts.google.com'

/** Returns the providers that this installation's settings configure. */
export function providers(): Provider[] {
  const { GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, GITHUB_URL, GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET } = env()
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME } = env()
  const all = [
    { id: 'github', name: 'GitHub', issuer: GITHUB_URL, clientId: GITHUB_CLIENT_ID, clientSecret: GITHUB_CLIENT_SECRET },
    { id: 'google', name: 'Google', issuer: GOOGLE, clientId: GOOGLE_CLIENT_ID, clientSecret: GOOGLE_CLIENT_SECRET },
    { id: 'oidc', name: OIDC_NAME, issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET },
  ] as const
  return all.filter((one): one is (typeof all)[number] & Provider => Boolean(one.issuer && one.clientId && one.clientSecret))
}

/** Returns the providers without their secrets, for a page. */
export const providerNames = (): { id: ProviderId; name: string }[] => providers().map(({ id, name }) => ({ id, name }))

/** The sign-in methods of the signed-in user. */
export interface SignInMethods {
  email: string
  hasPassword: boolean
  /** Null without a second factor. */
  totp: { since: Date; recoveryCodesLeft: number } | null
  /** Providers that can be connected, with the connected email. */
  providers: { id: ProviderId; name: string; connectedAs: string | null }[]
  /** Whether password reset by email is available. */
  mail: boolean
}

/** Returns the signed-in user's sign-in methods, without data of the account. */
export async function getSignInMethods(ctx: AccountCtx): Promise<SignInMethods> {
  const { userId, email } = requireUser(ctx)
  const user = await db().user.findUniqueOrThrow({
    where: { id: userId },
    select: {
      passwordHash: true,
      totpConfirmedAt: true,
      recoveryCodes: true,
      identities: { select: { provider: true, email: true } },
    },
  })
  const providers = providerNames().map(({ id, name }) => ({
    id,
    name,
    connectedAs: user.identities.find(({ provider }) => provider === id)?.email ?? null,
  }))
  const totp = user.totpConfirmedAt && { since: user.totpConfirmedAt, recoveryCodesLeft: user.recoveryCodes.length }
  return { email, hasPassword: user.passwordHash !== null, totp, providers, mail: isMailConfigured() }
}

/** Second factor and providers set up before the user's address was verified, possibly by an attacker. */
export interface OtherMethods {
  secondFactor: boolean
  /** Names of connected providers. */
  providers: string[]
}

/** Returns the other sign-in methods of a user whose address is not verified. Undefined if it is, or if there are none. */
export async function unverifiedMethods(on: Pick<Tx, 'user'>, userId: string): Promise<OtherMethods | undefined> {
  const { emailVerifiedAt, totpConfirmedAt, identities } = await on.user.findUniqueOrThrow({
    where: { id: userId },
    select: { emailVerifiedAt: true, totpConfirmedAt: true, identities: { select: { provider: true } } },
  })
  if (emailVerifiedAt || (!totpConfirmedAt && identities.length === 0)) return undefined
  const named = new Map(providers().map(({ id, name }) => [id as string, name]))
  return { secondFactor: totpConfirmedAt !== null, providers: identities.map(({ provider }) => named.get(provider) ?? provider) }
}

/** What a user without a second factor has. */
export const NO_SECOND_FACTOR = { totpSecret: null, totpConfirmedAt: null, totpLastStep: null, recoveryCodes: [] }

/** Removes a user's second factor, recovery codes and connected providers, so that the password alone is enough. */
export async function removeOtherMethods(tx: Tx, userId: string): Promise<void> {
  await tx.user.update({ where: { id: userId }, data: NO_SECOND_FACTOR })
  await tx.userIdentity.deleteMany({ where: { userId } })
}

import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { db, query } from '../../../platform/database/database.ts'
import { recordSecurity } from '../../audit/security.ts'
import { reauthenticate } from '../sessions/reauthenticate.ts'
import type { ClientInfo } from './client-ip.ts'
import { providers } from './providers.ts'
import type { LinkProviderInput, ProviderId, ProviderInput } from './schema.ts'
import { markEmailVerified } from './sign-up.ts'

const BEGIN = `UPDATE user_session SET link_provider = $2, link_expires_at = service_now() + interval '10 minutes' WHERE id = $1`
const TAKE = `
  UPDATE user_session SET link_provider = NULL, link_expires_at = NULL
  WHERE id = $1 AND link_provider = $2 AND link_expires_at > service_now() RETURNING 1`

/**
 * Lets the signed-in user connect a provider within ten minutes, in this session. Errors: as `reauthenticate`, NOT_FOUND for a provider
 * that is not configured.
 */
export async function beginLink(ctx: AccountCtx, visitor: ClientInfo, { provider, password }: LinkProviderInput): Promise<void> {
  if (!providers().some(({ id }) => id === provider))
    throw new ServiceError('NOT_FOUND', { message: 'This installation does not offer this provider.' })
  await reauthenticate(ctx, visitor, password)
  await query('identity-link-begin', BEGIN, [requireUser(ctx).sessionId, provider])
}

/**
 * Connects a provider's identity to this session's user, if `beginLink` was called just before. Returns `connected`, or `taken` if another
 * user has the identity. Undefined without a started link, which makes this a sign-in.
 */
export async function finishLink(ctx: AccountCtx, identity: ProvidedIdentity): Promise<'connected' | 'taken' | undefined> {
  const { userId, email: own, sessionId } = requireUser(ctx)
  const { issuer, subject, provider } = identity
  if ((await query('identity-link-take', TAKE, [sessionId, provider])).length === 0) return undefined
  const email = identity.email?.toLowerCase() ?? ''
  return db().$transaction(async (tx) => {
    const inserted = await tx.$executeRaw`
      INSERT INTO user_identity (issuer, subject, user_id, provider, email) VALUES (${issuer}, ${subject}, ${userId}, ${provider}, ${email})
      ON CONFLICT DO NOTHING`
    if (inserted > 0)
      await recordSecurity(tx, { event: 'user.identity.connect', userId, from: { remote: ctx.address }, after: { provider, email } })
    const { userId: owner } = await tx.userIdentity.findUniqueOrThrow({ where: { issuer_subject: { issuer, subject } } })
    if (owner !== userId) return 'taken'
    if (identity.emailVerified && email === own) await markEmailVerified(tx, userId)
    return 'connected'
  })
}

/** Disconnects a provider from the signed-in user. Errors: NOT_FOUND, CONFLICT if no way to sign in would be left. */
export async function unlinkIdentity(ctx: AccountCtx, { provider }: ProviderInput): Promise<void> {
  const { userId } = requireUser(ctx)
  await db().$transaction(async (tx) => {
    // Serializes concurrent calls, so that the second sees the providers that the first left.
    await tx.$queryRaw`SELECT 1 FROM app_user WHERE id = ${userId} FOR UPDATE`
    const { count } = await tx.userIdentity.deleteMany({ where: { userId, provider } })
    if (count === 0) throw new ServiceError('NOT_FOUND', { message: 'This provider is not connected.' })
    const user = await tx.user.findUniqueOrThrow({
      where: { id: userId },
      select: { passwordHash: true, _count: { select: { identities: true } } },
    })
    if (!user.passwordHash && user._count.identities === 0)
      throw new ServiceError('CONFLICT', { message: 'Set a password first. Without this provider, you could not sign in.' })
    await recordSecurity(tx, { event: 'user.identity.disconnect', userId, from: { remote: ctx.address }, before: { provider } })
  })
}

/** The claims read from a provider: those of OpenID Connect, and GitHub's equivalents. */
export interface ProviderClaims {
  sub?: string
  email?: string
  /** Some providers send it as text, and some leave it out. */
  email_verified?: boolean | string | null
}

/** A provider's identity claims, after its signature was checked. */
export interface ProvidedIdentity {
  provider: ProviderId
  issuer: string
  subject: string
  email: string | undefined
  /** True only if the provider asserts it, or leaves it out and the operator vouches for it (OIDC_EMAIL_VERIFIED). */
  emailVerified: boolean
}

/** Returns a user's identity at a provider. Throws without a subject, and for a provider that is not configured. */
export function identityOf(providerId: string, { sub, email, email_verified }: ProviderClaims): ProvidedIdentity {
  const provider = providers().find(({ id }) => id === providerId)
  if (!provider || !sub) throw new Error('the provider returned no subject')
  return { provider: provider.id, issuer: provider.issuer, subject: sub, email, emailVerified: isVerified(provider.id, email_verified) }
}

function isVerified(provider: ProviderId, claim: ProviderClaims['email_verified']): boolean {
  if (claim === undefined || claim === null) return provider === 'oidc' && env().OIDC_EMAIL_VERIFIED === 'assumed'
  return String(claim).toLowerCase() === 'true'
}

interface GitHubEmail {
  email: string
  primary: boolean
  verified: boolean
}

/**
 * Reads a GitHub user's claims with an access token, because GitHub supports only OAuth 2. `issuer` is the URL of GitHub or of a GitHub
 * Enterprise Server. The email counts only if it is primary and GitHub has verified it. Throws if GitHub refuses or times out.
 */
export async function gitHubClaims(issuer: string, accessToken: string | undefined): Promise<ProviderClaims> {
  const api = issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`
  const ask = async (path: string) => {
    const headers = { Authorization: `Bearer ${accessToken}`, Accept: 'application/vnd.github+json', 'User-Agent': 'Reelgate' }
    const response = await fetch(`${api}${path}`, { headers, signal: AbortSignal.timeout(10_000) })
    if (!response.ok) throw new Error(`GitHub answered ${response.status}`)
    return response.json() as Promise<unknown>
  }
  const user = (await ask('/user')) as { id: number }
  const emails = (await ask('/user/emails')) as GitHubEmail[]
  const primary = emails.find((one) => one.primary)
  return { sub: String(user.id), email: primary?.email, email_verified: primary?.verified === true }
}

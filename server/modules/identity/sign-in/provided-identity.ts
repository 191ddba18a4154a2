import { env } from '../../../platform/config/config.ts'
import { providers } from './providers.ts'
import type { ProviderId } from './schema.ts'

/** The claims that are read from a provider: those of OpenID Connect, and the same from GitHub. */
export interface ProviderClaims {
  sub?: string
  email?: string
  /** Some providers send it as text, and some leave it out. */
  email_verified?: boolean | string | null
}

/** Identity claims of a provider, after its signature was checked. */
export interface ProvidedIdentity {
  provider: ProviderId
  issuer: string
  subject: string
  email: string | undefined
  /** True only when the provider asserts it, or leaves it out and the operator vouches for it (OIDC_EMAIL_VERIFIED). */
  emailVerified: boolean
}

/** Returns the identity of a user at a provider. Throws without a subject, and for a provider that is not configured. */
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
 * Reads the claims of a GitHub user with an access token, because GitHub supports OAuth 2 alone. `issuer` is the address of GitHub or of a
 * GitHub Enterprise Server. The e-mail counts only if it is primary and verified by GitHub. Throws when GitHub refuses or times out.
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

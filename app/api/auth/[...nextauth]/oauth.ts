import type { Profile } from 'next-auth'
import type { OAuthConfig } from 'next-auth/providers/oauth'
import type { ProvidedIdentity } from '#server/modules/auth/identity-sign-in'
import { type Provider, providers } from '#server/modules/auth/providers'

/** The claims that are read from a provider: those of OpenID Connect, and the same from GitHub. */
interface Claims extends Profile {
  sub?: string
  email?: string
  email_verified?: boolean
}

/** Returns a provider in next-auth's configuration format. */
export const oauthProvider = (provider: Provider): OAuthConfig<Claims> =>
  provider.id === 'github' ? gitHub(provider) : openIdConnect(provider)

/** Returns the identity of a user at a provider. */
export function identityOf(providerId: string, profile: Profile | undefined): ProvidedIdentity {
  const { sub, email, email_verified } = (profile ?? {}) as Claims
  const provider = providers().find(({ id }) => id === providerId)
  if (!provider || !sub) throw new Error('the provider returned no user id')
  return { provider: provider.id, issuer: provider.issuer, subject: sub, email, emailVerified: email_verified === true }
}

const asUser = ({ sub }: Claims) => ({ id: sub as string })

/** next-auth's client checks the ID token's signature, issuer, audience and nonce (OpenID Connect Core §3.1.3.7). */
const openIdConnect = ({ id, name, issuer, clientId, clientSecret }: Provider): OAuthConfig<Claims> => ({
  id,
  name,
  type: 'oauth',
  wellKnown: `${issuer}/.well-known/openid-configuration`,
  clientId,
  clientSecret,
  authorization: { params: { scope: 'openid email' } },
  // For slow providers; the client's default is 3.5 s.
  httpOptions: { timeout: 10_000 },
  idToken: true,
  checks: ['pkce', 'state', 'nonce'],
  // Some providers leave the e-mail out of the ID token and return it from the userinfo endpoint alone.
  userinfo: {
    async request({ client, tokens }) {
      const claims = client.issuer.metadata.userinfo_endpoint ? await client.userinfo(tokens as never) : {}
      const signed = (tokens as unknown as { claims(): Claims }).claims()
      return { ...claims, ...signed } as Claims
    },
  },
  profile: asUser,
})

interface GitHubEmail {
  email: string
  primary: boolean
  verified: boolean
}

/** GitHub supports OAuth 2 alone. The e-mail counts only if it is primary and verified by GitHub. */
function gitHub({ id, name, issuer, clientId, clientSecret }: Provider): OAuthConfig<Claims> {
  const api = issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`
  const ask = async (path: string, token: string | undefined) => {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json', 'User-Agent': 'Reelgate' }
    const answer = await fetch(`${api}${path}`, { headers, signal: AbortSignal.timeout(10_000) })
    if (!answer.ok) throw new Error(`GitHub responded with status ${answer.status}`)
    return answer.json() as Promise<unknown>
  }
  return {
    id,
    name,
    type: 'oauth',
    clientId,
    clientSecret,
    authorization: { url: `${issuer}/login/oauth/authorize`, params: { scope: 'read:user user:email' } },
    token: `${issuer}/login/oauth/access_token`,
    userinfo: {
      async request({ tokens }) {
        const user = (await ask('/user', tokens.access_token)) as { id: number }
        const emails = (await ask('/user/emails', tokens.access_token)) as GitHubEmail[]
        const primary = emails.find((one) => one.primary)
        return { sub: String(user.id), email: primary?.email, email_verified: primary?.verified === true }
      },
    },
    checks: ['pkce', 'state'],
    profile: asUser,
  }
}

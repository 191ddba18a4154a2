import type { Profile } from 'next-auth'
import type { OAuthConfig } from 'next-auth/providers/oauth'
import { gitHubClaims, type ProviderClaims } from '#server/modules/identity/sign-in/identity-link'
import type { Provider } from '#server/modules/identity/sign-in/providers'

/** A provider's claims in next-auth's type. */
export interface Claims extends ProviderClaims, Profile {
  sub?: string
  email?: string
}

/** Returns a provider in next-auth's configuration format. */
export const oauthProvider = (provider: Provider): OAuthConfig<Claims> =>
  provider.id === 'github' ? gitHub(provider) : openIdConnect(provider)

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
      if (!isTokenSet(tokens)) throw new Error('the client of next-auth returned no token set')
      const claims = client.issuer.metadata.userinfo_endpoint ? await client.userinfo<Claims>(tokens) : {}
      return { ...claims, ...tokens.claims() }
    },
  },
  profile: asUser,
})

/** The argument with which the client also compares the subjects of userinfo and ID token (OpenID Connect Core §5.3.2). */
type UserinfoRequest = NonNullable<Exclude<OAuthConfig<Claims>['userinfo'], string | undefined>['request']>
type TokenSet = Exclude<Parameters<Parameters<UserinfoRequest>[0]['client']['userinfo']>[0], string>

/** next-auth's type of the tokens has their values alone; the object is the client's token set. */
const isTokenSet = (tokens: object): tokens is TokenSet => 'claims' in tokens && typeof tokens.claims === 'function'

/** GitHub supports OAuth 2 alone, so its claims are read from its API. */
const gitHub = ({ id, name, issuer, clientId, clientSecret }: Provider): OAuthConfig<Claims> => ({
  id,
  name,
  type: 'oauth',
  clientId,
  clientSecret,
  authorization: { url: `${issuer}/login/oauth/authorize`, params: { scope: 'read:user user:email' } },
  token: `${issuer}/login/oauth/access_token`,
  userinfo: { request: ({ tokens }) => gitHubClaims(issuer, tokens.access_token) },
  checks: ['pkce', 'state'],
  profile: asUser,
})

import { env } from '../../../platform/config/config.ts'
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

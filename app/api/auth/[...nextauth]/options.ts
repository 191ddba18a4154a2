import type { NextAuthOptions } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { nextAuthCookies, overHttps } from '#server/modules/identity/sessions/cookies'
import { decodeJwt, SESSION_SEC, type SessionClaims, sessionSecret } from '#server/modules/identity/sessions/session'
import { endSessionById } from '#server/modules/identity/sessions/sessions'
import { providers } from '#server/modules/identity/sign-in/providers'
import type { SignInAttempt } from '#server/modules/identity/sign-in/sign-in-attempt'
import { log } from '#server/platform/observe/log'
import { type Claims, oauthProvider } from './oauth'

/** Returns next-auth's options for one request. */
export const authOptions = (attempt: SignInAttempt): NextAuthOptions => ({
  secret: sessionSecret(),
  session: { strategy: 'jwt', maxAge: SESSION_SEC },
  jwt: { decode: decodeJwt },
  useSecureCookies: overHttps(),
  cookies: nextAuthCookies(),
  // Logs codes only: the details can hold a visitor's input.
  logger: {
    error: (code) => log().warn({ code }, 'next-auth error'),
    warn: (code) => log().debug({ code }, 'next-auth warning'),
    debug: () => {},
  },
  pages: { signIn: '/sign-in', error: '/sign-in' },
  providers: [
    Credentials({ credentials: { email: {}, password: {} }, authorize: (input) => attempt.withPassword(input) }),
    Credentials({ id: 'second-step', credentials: { code: {} }, authorize: (input) => attempt.withCode(input) }),
    ...providers().map(oauthProvider),
  ],
  callbacks: {
    // A returned address redirects the browser there without a session.
    signIn: ({ account, profile }) =>
      account?.type === 'oauth' ? attempt.withProvider(account.provider, (profile ?? {}) as Claims) : true,
    jwt: async ({ token, user }) => (user ? { ...(await attempt.beginSession()) } : token),
    // /api/auth/session returns nothing to the page's scripts: they need no data from it.
    session: ({ session }) => ({ expires: session.expires }),
  },
  events: {
    async signOut({ token }) {
      await endSessionById((token as Partial<SessionClaims> | null)?.sessionId)
    },
  },
})

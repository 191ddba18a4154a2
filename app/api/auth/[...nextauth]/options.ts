import type { NextAuthOptions, User } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { signInInput } from '#server/account/schema'
import { type SessionClaims, sessionSecret } from '#server/account/session'
import { verifyCredentials } from '#server/account/verify-credentials'
import { visitorOf } from '#server/account/visitor'
import { ERRORS, isServiceError } from '#server/errors'
import { log } from '#server/infra/log'

const THIRTY_DAYS = 30 * 24 * 3600

/** next-auth puts a thrown message into its answer as it is, so only words meant for people may be thrown. */
async function authorize(input: unknown, forwardedFor: string | undefined): Promise<User | null> {
  const credentials = signInInput.safeParse(input)
  if (!credentials.success) return null
  try {
    const found = await verifyCredentials(visitorOf(forwardedFor), credentials.data)
    return found ? ({ id: found.userId, accountId: found.accountId } as User) : null
  } catch (error) {
    if (isServiceError(error)) throw new Error(error.message)
    log().error({ err: error }, 'sign-in failed for a reason of ours')
    throw new Error(ERRORS.INTERNAL_ERROR.message)
  }
}

export const authOptions = (): NextAuthOptions => ({
  secret: sessionSecret(),
  session: { strategy: 'jwt', maxAge: THIRTY_DAYS },
  // Codes only: what comes with them can hold what a visitor sent.
  logger: {
    error: (code) => log().warn({ code }, 'next-auth met an error'),
    warn: (code) => log().debug({ code }, 'next-auth warns'),
    debug: () => {},
  },
  pages: { signIn: '/sign-in', error: '/sign-in' },
  providers: [
    Credentials({
      credentials: { email: {}, password: {} },
      authorize: (input, request) => authorize(input, request.headers?.['x-forwarded-for']),
    }),
  ],
  callbacks: {
    jwt({ token, user }) {
      if (!user) return token
      const claims: SessionClaims = { userId: user.id, accountId: (user as User & SessionClaims).accountId }
      return { ...claims }
    },
    // What /api/auth/session tells the page's scripts: nothing they need.
    session: ({ session }) => ({ expires: session.expires }),
  },
})

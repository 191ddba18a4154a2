import type { NextAuthOptions, User } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { asServiceError, ERRORS, type ServiceError } from '#server/errors'
import { signInInput } from '#server/modules/accounts/schema'
import { addressOf, clientInfo } from '#server/modules/auth/client-ip'
import { finishLink } from '#server/modules/auth/identity-link'
import { signInWith } from '#server/modules/auth/identity-sign-in'
import { providers } from '#server/modules/auth/providers'
import { rememberDevice } from '#server/modules/auth/remember-device'
import { secondFactorInput } from '#server/modules/auth/schema'
import { takeSecondStep } from '#server/modules/auth/second-step'
import {
  claimedSession,
  decodeJwt,
  readSession,
  SESSION_SEC,
  type SessionClaims,
  sessionCookieName,
  sessionCookieOptions,
  sessionSecret,
} from '#server/modules/auth/session'
import { beginSession } from '#server/modules/auth/session-begin'
import { endSessionById } from '#server/modules/auth/session-end'
import { verifyCredentials } from '#server/modules/auth/verify-credentials'
import { log } from '#server/platform/log'
import { identityOf, oauthProvider } from './oauth'

/** The identity proven in this request, until its session is created. */
interface Proven {
  userId: string
  method: string
  awaitsCode: boolean
}

/** The parts of the response that next-auth cannot carry. */
interface Aside {
  setCookie: (cookie: string) => void
  /** Called when an attempt is refused with a status and a time to wait. */
  refused: (refusal: ServiceError) => void
}

/** Returns next-auth's options for one request: every sign-in creates a new session row and ends the browser's previous one. */
export function authOptions(headers: Headers, { setCookie, refused }: Aside): NextAuthOptions {
  /** next-auth copies a thrown message into its response, so only messages for users may be thrown. */
  const inWords = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const known = asServiceError(error)
      if (known.code === 'INTERNAL_ERROR') log().error({ err: error }, 'sign-in failed with an internal error')
      if (known.extras.retryAfter !== undefined) refused(known)
      throw new Error(wordsOf(known))
    }
  }
  const cookie = headers.get('cookie') ?? undefined
  const forwardedFor = headers.get('x-forwarded-for')
  const visitor = clientInfo(forwardedFor, { cookie, userAgent: headers.get('user-agent') ?? undefined })
  let proven: Proven | undefined

  const withPassword = async (input: unknown): Promise<User | null> => {
    const credentials = signInInput.safeParse(input)
    if (!credentials.success) return null
    const found = await verifyCredentials(visitor, credentials.data)
    if (!found) return null
    proven = { ...found, method: 'password' }
    return { id: found.userId }
  }

  const withCode = async (input: unknown): Promise<User | null> => {
    const given = secondFactorInput.safeParse(input)
    const waiting = given.success ? await takeSecondStep(visitor, cookie, given.data.code) : undefined
    if (!waiting) return null
    proven = { ...waiting, awaitsCode: false }
    return { id: waiting.userId }
  }

  return {
    secret: sessionSecret(),
    session: { strategy: 'jwt', maxAge: SESSION_SEC },
    jwt: { decode: decodeJwt },
    useSecureCookies: sessionCookieOptions().secure,
    cookies: { sessionToken: { name: sessionCookieName(), options: sessionCookieOptions() } },
    // Logs codes only: the details can hold a visitor's input.
    logger: {
      error: (code) => log().warn({ code }, 'next-auth error'),
      warn: (code) => log().debug({ code }, 'next-auth warning'),
      debug: () => {},
    },
    pages: { signIn: '/sign-in', error: '/sign-in' },
    providers: [
      Credentials({
        credentials: { email: {}, password: {} },
        authorize: (input) => inWords(() => withPassword(input)),
      }),
      Credentials({ id: 'second-step', credentials: { code: {} }, authorize: (input) => inWords(() => withCode(input)) }),
      ...providers().map(oauthProvider),
    ],
    callbacks: {
      // A returned address redirects the browser there without a session.
      signIn: ({ account, profile }) =>
        inWords(async () => {
          if (account?.type !== 'oauth') return true
          const identity = identityOf(account.provider, profile)
          const session = await readSession(cookie)
          const linked = session && !session.owesSecondFactor && (await finishLink(session.ctx, identity))
          if (linked) return `/settings/security?${new URLSearchParams({ [linked]: identity.provider })}`
          const found = await signInWith(visitor, identity)
          if ('refused' in found) return `/sign-in?error=${found.refused}`
          proven = { ...found, method: identity.provider }
          return true
        }),
      async jwt({ token, user }) {
        if (!user) return token
        if (!proven) throw new Error('sign-in without a verified identity')
        const origin = { address: addressOf(forwardedFor), userAgent: headers.get('user-agent') ?? '' }
        const sessionId = await beginSession({ ...proven, ...origin, replaces: await claimedSession(cookie) })
        if (!proven.awaitsCode) setCookie(await rememberDevice(proven.userId, visitor, proven.method))
        return { sessionId } satisfies SessionClaims
      },
      // /api/auth/session returns nothing to the page's scripts: they need no data from it.
      session: ({ session }) => ({ expires: session.expires }),
    },
    events: {
      async signOut({ token }) {
        await endSessionById((token as Partial<SessionClaims> | null)?.sessionId)
      },
    },
  }
}

/** Returns a message for users; the error table's messages are for programs where they mention headers. */
function wordsOf({ code, message, extras }: ServiceError): string {
  if (code === 'INTERNAL_ERROR') return ERRORS.INTERNAL_ERROR.message
  return code === 'SERVICE_UNAVAILABLE' ? `The service is busy. Try again in ${extras.retryAfter ?? 5} seconds.` : message
}

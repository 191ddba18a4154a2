import { asServiceError, ERRORS, ServiceError } from '../../../errors.ts'
import { supportContact } from '../../../platform/config/support-contact.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { deviceOf } from '../../../platform/network/user-agent.ts'
import { log } from '../../../platform/observe/log.ts'
import { recordSecurity } from '../../audit/security.ts'
import { countRefusal } from '../../audit/security-counters.ts'
import { securityLine } from '../../audit/security-line.ts'
import { claimedSession, readSession, type SessionClaims } from '../sessions/session.ts'
import { beginSession } from '../sessions/sessions.ts'
import { addressOf, type ClientInfo, clientInfo } from './client-ip.ts'
import { finishLink, identityOf, type ProviderClaims } from './identity-link.ts'
import { signInWith } from './identity-sign-in.ts'
import { deviceCookie, knownDevice } from './known-device.ts'
import { verifyAbsentUser, verifyPassword } from './password-hash.ts'
import { type SignInInput, secondFactorInput, signInInput } from './schema.ts'
import { throttledSignIn } from './throttle.ts'
import { verifySecondFactor } from './verify-second-factor.ts'

/** The identity verified in this request, until its session is created. */
interface VerifiedUser {
  userId: string
  method: string
  mfaPending: boolean
}

/**
 * One request to sign in: verifies a password, a second factor or a provider's identity, then creates a session row, which ends the
 * browser's previous one. Errors have a message for the user, because next-auth copies thrown messages into its response.
 */
export class SignInAttempt {
  private readonly headers: Headers
  private readonly cookie: string | undefined
  private readonly client: ClientInfo
  private verified: VerifiedUser | undefined
  /** `Set-Cookie` headers for the response, besides next-auth's. */
  readonly cookies: string[] = []
  /** The error that refused the attempt, if it says how long to wait. */
  refusal: ServiceError | undefined

  constructor(headers: Headers) {
    this.headers = headers
    this.cookie = headers.get('cookie') ?? undefined
    this.client = clientInfo(headers.get('x-forwarded-for'), { cookie: this.cookie, userAgent: headers.get('user-agent') ?? undefined })
  }

  /** Verifies an email and a password. Resolves with null if they do not match, or are malformed. */
  withPassword(input: unknown): Promise<{ id: string } | null> {
    return this.withMessage(async () => {
      const credentials = signInInput.safeParse(input)
      const found = credentials.success ? await verifyCredentials(this.client, credentials.data) : undefined
      return found ? this.verify({ userId: found.userId, method: 'password', mfaPending: found.mfaPending }) : null
    })
  }

  /** Verifies a second factor after the first step. Resolves with null if either is missing or incorrect. */
  withCode(input: unknown): Promise<{ id: string } | null> {
    return this.withMessage(async () => {
      const given = secondFactorInput.safeParse(input)
      const found = given.success ? await verifySecondFactor(this.client, this.cookie, given.data.code) : undefined
      return found ? this.verify({ userId: found.userId, method: found.method, mfaPending: false }) : null
    })
  }

  /** Signs in with a provider's claims, or connects the provider. Resolves with true, or with the path to redirect to without a session. */
  withProvider(providerId: string, claims: ProviderClaims): Promise<true | string> {
    return this.withMessage(async () => {
      const identity = identityOf(providerId, claims)
      const session = await readSession(this.cookie)
      const linked = session && !session.owesSecondFactor && (await finishLink(session.ctx, identity))
      if (linked) return `/settings/security?${new URLSearchParams({ [linked]: identity.provider })}`
      const found = await signInWith(this.client, identity)
      if ('refused' in found) return `/sign-in?error=${found.refused}`
      this.verify({ ...found, method: identity.provider })
      return true
    })
  }

  /** Creates the verified user's session. Throws if this request verified no user. */
  async beginSession(): Promise<SessionClaims> {
    const { verified, headers, client, cookie } = this
    if (!verified) throw new Error('a sign-in without a verified user')
    const origin = { address: addressOf(headers.get('x-forwarded-for')), userAgent: headers.get('user-agent') ?? '' }
    const sessionId = await beginSession({ ...verified, ...origin, replaces: await claimedSession(cookie) })
    if (!verified.mfaPending) this.cookies.push(await rememberDevice(verified.userId, client, verified.method))
    return { sessionId }
  }

  private verify(user: VerifiedUser): { id: string } {
    this.verified = user
    return { id: user.userId }
  }

  private async withMessage<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const known = asServiceError(error)
      if (known.code === 'INTERNAL_ERROR') log().error({ err: error }, 'sign-in failed with an internal error')
      if (known.extras.retryAfter !== undefined) this.refusal = known
      throw new Error(messageOf(known))
    }
  }
}

/** Returns a message for users. The error table's messages that mention headers are for programs. */
function messageOf({ code, message, extras }: ServiceError): string {
  if (code === 'INTERNAL_ERROR') return ERRORS.INTERNAL_ERROR.message
  return code === 'SERVICE_UNAVAILABLE' ? `The service is busy. Try again in ${extras.retryAfter ?? 5} seconds.` : message
}

/** A user whose password was verified. */
interface Verified {
  userId: string
  email: string
  /** Whether the second factor is still required. */
  mfaPending: boolean
}

/**
 * Checks an email and password. Undefined if they do not match; an unknown email takes as long as a wrong password. Throws
 * TOO_MANY_ATTEMPTS. Throws FORBIDDEN for a suspended user only after a correct password, so that others do not learn of the suspension.
 */
export function verifyCredentials(visitor: ClientInfo, { email, password }: SignInInput): Promise<Verified | undefined> {
  return throttledSignIn(email, { address: visitor.address, known: knownDevice(visitor.cookie, email) }, async () => {
    const user = await db().user.findUnique({
      where: { email },
      include: { _count: { select: { memberships: true } } },
    })
    const right = user?.passwordHash ? await verifyPassword(password, user.passwordHash) : await verifyAbsentUser(password)
    if (!right || !user || user._count.memberships === 0) {
      countRefusal('user.sign-in.refuse', user ? { userId: user.id } : undefined, visitor)
      return undefined
    }
    if (user.suspendedAt) throw suspendedLogin()
    return { userId: user.id, email: user.email, mfaPending: user.totpConfirmedAt !== null }
  })
}

const suspendedLogin = () =>
  new ServiceError('FORBIDDEN', {
    message: `Your login is suspended. Our email to you gives the reason. Contact ${supportContact()}.`,
  })

/** Minutes after sign-up during which a new device triggers no email, because it is the one that created the account. */
const FIRST_MINUTES = 10

/**
 * Logs a completed sign-in (with the second factor, if any) and emails the user if the browser is new. Returns a `Set-Cookie` header that
 * marks the browser as known. `method` is `password`, or the provider's name.
 */
async function rememberDevice(userId: string, visitor: ClientInfo, method: string): Promise<string> {
  const { email, createdAt } = await db().user.findUniqueOrThrow({ where: { id: userId }, select: { email: true, createdAt: true } })
  securityLine('user.sign-in', visitor, { userId, method })
  if (knownDevice(visitor.cookie, email) === undefined) {
    const { device } = deviceOf(visitor.userAgent ?? '')
    const suppressMail = serviceNow() - createdAt.getTime() < FIRST_MINUTES * 60_000
    const after = { device, address: visitor.remote ?? 'unknown', method }
    await db().$transaction((tx) => recordSecurity(tx, { event: 'user.device.new', userId, from: visitor, after, suppressMail }))
  }
  return deviceCookie(visitor.cookie, email)
}

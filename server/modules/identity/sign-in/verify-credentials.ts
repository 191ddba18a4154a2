import { ServiceError } from '../../../errors.ts'
import { supportContact } from '../../../platform/config/support-contact.ts'
import { db } from '../../../platform/database/database.ts'
import { countRefusal } from '../../audit/security-counters.ts'
import type { ClientInfo } from './client-ip.ts'
import { knownDevice } from './known-device.ts'
import { verifyAbsentUser, verifyPassword } from './password-hash.ts'
import type { SignInInput } from './schema.ts'
import { throttledSignIn } from './throttle.ts'

/** A user whose password was verified. */
export interface Verified {
  userId: string
  email: string
  /** Whether the second factor is still required. */
  mfaPending: boolean
}

/**
 * Checks an e-mail and password. Returns undefined when they do not match; an unknown e-mail takes the same time as a wrong password.
 * Throws TOO_MANY_ATTEMPTS; FORBIDDEN for a suspended user only after a correct password, so that the suspension is not revealed to others.
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
    message: `Your login is suspended. The email that you received has the reason. Contact ${supportContact()}.`,
  })

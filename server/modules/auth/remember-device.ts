import { serviceNow } from '../../platform/clock.ts'
import { db } from '../../platform/database.ts'
import { deviceOf } from '../../platform/user-agent.ts'
import { recordSecurity } from '../audit/security.ts'
import { securityLine } from '../audit/security-line.ts'
import type { ClientInfo } from './client-ip.ts'
import { deviceCookie, knownDevice } from './known-device.ts'

/** Minutes after signing up in which a new device is not mailed: it is the one that the account was opened on. */
const FIRST_MINUTES = 10

/**
 * Notes that a person has signed in, with a second factor where they have one, and tells them when the browser is a new one. Returns a `Set-Cookie`
 * header by which it is known from now on. `method` is `password`, or the provider's name.
 */
export async function rememberDevice(userId: string, visitor: ClientInfo, method: string): Promise<string> {
  const { email, createdAt } = await db().user.findUniqueOrThrow({ where: { id: userId }, select: { email: true, createdAt: true } })
  securityLine('user.sign-in', visitor, { userId, method })
  if (knownDevice(visitor.cookie, email) === undefined) {
    const { device } = deviceOf(visitor.userAgent ?? '')
    const quiet = serviceNow() - createdAt.getTime() < FIRST_MINUTES * 60_000
    const after = { device, address: visitor.remote ?? 'unknown', method }
    await db().$transaction((tx) => recordSecurity(tx, { event: 'user.device.new', userId, from: visitor, after, quiet }))
  }
  return deviceCookie(visitor.cookie, email)
}

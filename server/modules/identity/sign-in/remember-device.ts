import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { deviceOf } from '../../../platform/network/user-agent.ts'
import { recordSecurity } from '../../audit/security.ts'
import { securityLine } from '../../audit/security-line.ts'
import type { ClientInfo } from './client-ip.ts'
import { deviceCookie, knownDevice } from './known-device.ts'

/** Minutes after sign-up within which a new device causes no mail, because it is the one that created the account. */
const FIRST_MINUTES = 10

/**
 * Logs a completed sign-in (with the second factor where there is one) and mails the user when the browser is new. Returns a `Set-Cookie`
 * header that marks the browser as known. `method` is `password`, or the provider's name.
 */
export async function rememberDevice(userId: string, visitor: ClientInfo, method: string): Promise<string> {
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

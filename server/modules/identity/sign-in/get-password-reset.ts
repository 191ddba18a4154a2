import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import type { ClientInfo } from './client-ip.ts'
import { type OtherMethods, unverifiedMethods } from './other-methods.ts'
import type { ResetTokenInput } from './schema.ts'
import { throttleReset } from './throttle.ts'

export const noSuchReset = () => new ServiceError('NOT_FOUND', { message: 'This link was already used or has expired. Request a new one.' })

/**
 * Returns the choice that a password reset link requires: `otherMethods` are to be kept or removed, null when there are none. Changes nothing.
 * Errors: NOT_FOUND for a link that was used, replaced or has expired, TOO_MANY_ATTEMPTS.
 */
export async function getPasswordReset(visitor: ClientInfo, { token }: ResetTokenInput): Promise<{ otherMethods: OtherMethods | null }> {
  throttleReset(visitor.address)
  const [link] = await db().$queryRaw<{ userId: string; byMail: boolean }[]>`
    SELECT r.user_id AS "userId", r.by_mail AS "byMail" FROM password_reset r JOIN app_user u ON u.id = r.user_id
    WHERE r.hash = ${sha256(token)} AND r.expires_at > service_now() AND u.suspended_at IS NULL`
  if (!link) throw noSuchReset()
  return { otherMethods: await methodsToChoose(db(), link) }
}

/** Only a mailed link verifies the address, and only its owner may remove what was set up before the address was verified. */
export async function methodsToChoose(on: Pick<Tx, 'user'>, link: { userId: string; byMail: boolean }): Promise<OtherMethods | null> {
  return (link.byMail && (await unverifiedMethods(on, link.userId))) || null
}

import { ServiceError } from '../../errors.ts'
import { sha256 } from '../../platform/crypto.ts'
import { db, type Tx } from '../../platform/database.ts'
import type { ClientInfo } from './client-ip.ts'
import type { ResetTokenInput } from './schema.ts'
import { throttleReset } from './throttle.ts'
import { type OtherWays, unprovenWays } from './unproven.ts'

export const noSuchReset = () => new ServiceError('NOT_FOUND', { message: 'This link was already used or has expired. Request a new one.' })

/**
 * Returns the choice that a password reset link requires: `otherWays` are to be kept or removed, null when there are none. Changes nothing.
 * Errors: NOT_FOUND for a link that was used, replaced or has expired, TOO_MANY_ATTEMPTS.
 */
export async function readPasswordReset(visitor: ClientInfo, { token }: ResetTokenInput): Promise<{ otherWays: OtherWays | null }> {
  throttleReset(visitor.address)
  const [link] = await db().$queryRaw<{ userId: string; byMail: boolean }[]>`
    SELECT r.user_id AS "userId", r.by_mail AS "byMail" FROM password_reset r JOIN app_user u ON u.id = r.user_id
    WHERE r.hash = ${sha256(token)} AND r.expires_at > service_now() AND u.suspended_at IS NULL`
  if (!link) throw noSuchReset()
  return { otherWays: await waysToChoose(db(), link) }
}

/** Only a mailed link proves the owner of the address, and only that owner may remove what was set up before the address was proven. */
export async function waysToChoose(on: Pick<Tx, 'user'>, link: { userId: string; byMail: boolean }): Promise<OtherWays | null> {
  return (link.byMail && (await unprovenWays(on, link.userId))) || null
}

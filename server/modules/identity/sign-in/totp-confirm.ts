import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { recordSecurity } from '../../audit/security.ts'
import { invalidField } from '../sessions/reauthenticate.ts'
import { endOthers } from '../sessions/session-end.ts'
import type { ClientInfo } from './client-ip.ts'
import { throttledCode } from './code-throttle.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'
import type { TotpCodeInput } from './schema.ts'
import { stepOf } from './totp.ts'

/**
 * Turns the second factor on: the code proves that the app has the secret. Returns ten recovery codes, displayed only now. Ends other
 * sessions, which began without it. Errors: INVALID_REQUEST, CONFLICT when no set-up was started or it is on, TOO_MANY_ATTEMPTS.
 */
export async function confirmTotp(ctx: AccountCtx, visitor: ClientInfo, { code }: TotpCodeInput): Promise<{ recoveryCodes: string[] }> {
  const { userId, sessionId } = requireUser(ctx)
  const { totpSecret, totpConfirmedAt } = await db().user.findUniqueOrThrow({ where: { id: userId } })
  if (!totpSecret || totpConfirmedAt) throw new ServiceError('CONFLICT', { message: 'Restart the setup of two-factor sign-in.' })
  const step = stepOf(code, totpSecret, userId)
  const right = await throttledCode(userId, { address: visitor.address, known: undefined }, async () => step !== undefined)
  if (!right || step === undefined) throw invalidField('code', 'Incorrect code. Enter the current code from your app.')
  return db().$transaction(async (tx) => {
    const turnedOn = await tx.$executeRaw`
      UPDATE app_user SET totp_confirmed_at = service_now(), totp_last_step = ${step}
      WHERE id = ${userId} AND totp_confirmed_at IS NULL AND totp_secret = ${totpSecret}`
    if (turnedOn === 0) throw new ServiceError('CONFLICT', { message: 'Restart the setup of two-factor sign-in.' })
    const recoveryCodes = await makeRecoveryCodes(tx, userId)
    await endOthers(tx, userId, sessionId)
    await recordSecurity(tx, { event: 'user.totp.on', userId, from: visitor, after: { recoveryCodes: recoveryCodes.length } })
    return { recoveryCodes }
  })
}

import { type AccountCtx, requireUser } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { recordSecurity } from '../../audit/security.ts'
import { invalidField, reauthenticate } from '../sessions/reauthenticate.ts'
import type { ClientInfo } from './client-ip.ts'
import type { TurnOffTotpInput } from './schema.ts'
import { verifyCode } from './verify-code.ts'

/**
 * Turns the second factor off, with the password and a code of either kind. Errors: as `reauthenticate`, INVALID_REQUEST,
 * TOO_MANY_ATTEMPTS.
 */
export async function turnOffTotp(ctx: AccountCtx, visitor: ClientInfo, { password, code }: TurnOffTotpInput): Promise<void> {
  const { userId } = requireUser(ctx)
  await reauthenticate(ctx, visitor, password)
  if (!(await verifyCode(visitor, userId, code))) throw invalidField('code', 'This code is incorrect or was already used.')
  await db().$transaction(async (tx) => {
    await tx.user.update({ where: { id: userId }, data: { totpSecret: null, totpConfirmedAt: null, totpLastStep: null } })
    await tx.recoveryCode.deleteMany({ where: { userId } })
    await recordSecurity(tx, { event: 'user.totp.off', userId, from: visitor })
  })
}

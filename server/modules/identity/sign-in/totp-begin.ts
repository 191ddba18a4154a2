import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { reauthenticate } from '../sessions/reauthenticate.ts'
import type { ClientInfo } from './client-ip.ts'
import type { ReauthenticateInput } from './schema.ts'
import { newTotp } from './totp.ts'

/**
 * Creates a secret for the signed-in user's authenticator app: in base32, and as the URI for its QR code. Active once `confirmTotp` has
 * checked a code of it. Errors: as `reauthenticate`, CONFLICT when the second factor is on already.
 */
export async function beginTotp(
  ctx: AccountCtx,
  visitor: ClientInfo,
  { password }: ReauthenticateInput,
): Promise<{ secret: string; uri: string }> {
  const { userId, email } = requireUser(ctx)
  await reauthenticate(ctx, visitor, password)
  const { sealed, secret, uri } = newTotp(userId, email)
  await db().$transaction(async (tx) => {
    const data = { totpSecret: sealed, totpLastStep: null }
    const { count } = await tx.user.updateMany({ where: { id: userId, totpConfirmedAt: null }, data })
    if (count === 0) throw new ServiceError('CONFLICT', { message: 'Two-factor sign-in is already enabled. Disable it first.' })
    await record(tx, ctx, { action: 'user.totp.begin', subject: userId })
  })
  return { secret, uri }
}

import { type AccountCtx, requireUser } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import type { ClientInfo } from '../sign-in/client-ip.ts'
import type { SecondFactor } from '../sign-in/schema.ts'
import { verifyCode } from '../sign-in/verify-code.ts'
import { invalidField } from './reauthenticate.ts'

/**
 * Requires a code of a signed-in user who has a second factor, and uses it up; a user without one passes. Errors: INVALID_REQUEST at
 * `code`, TOO_MANY_ATTEMPTS.
 */
export async function proveSecondFactor(ctx: AccountCtx, visitor: ClientInfo, code: SecondFactor | undefined): Promise<void> {
  const { userId } = requireUser(ctx)
  const { totpConfirmedAt } = await db().user.findUniqueOrThrow({ where: { id: userId }, select: { totpConfirmedAt: true } })
  if (!totpConfirmedAt) return
  if (!code) throw invalidField('code', 'Enter a code from your authenticator app, or a recovery code.')
  if (!(await verifyCode(visitor, userId, code))) throw invalidField('code', 'This code is incorrect or was already used.')
}

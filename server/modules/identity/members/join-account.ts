import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import type { ClientInfo } from '../sign-in/client-ip.ts'
import { refuseCommonPassword } from '../sign-in/common-password.ts'
import { hashPassword } from '../sign-in/password-hash.ts'
import type { JoinInput } from '../sign-in/schema.ts'
import { requireSignUpAllowed } from '../sign-in/sign-up-policy.ts'
import { throttleSignUp } from '../sign-in/throttle.ts'
import { join } from './accept-invitation.ts'
import { lockInvitation } from './open-invitation.ts'

/**
 * Signs up an invited user, who joins that account without a separate one. Returns the e-mail to sign in with. Errors: NOT_FOUND (no open
 * invitation), CONFLICT (signed up already: sign in and accept), FORBIDDEN under `SIGN_UP`, TOO_MANY_ATTEMPTS.
 */
export async function joinAsNewUser(visitor: ClientInfo, { token, password }: JoinInput): Promise<{ email: string }> {
  requireSignUpAllowed('invitation')
  throttleSignUp(visitor.address)
  const open = await db().$transaction((tx) => lockInvitation(tx, token))
  await refuseCommonPassword(password, open.email, [open.account])
  const passwordHash = await hashPassword(password)
  try {
    return await db().$transaction(async (tx) => {
      const invitation = await lockInvitation(tx, token)
      const { email } = invitation
      const userId = newId('usr')
      await tx.user.create({ data: { id: userId, email, passwordHash } })
      await join(tx, invitation, { userId, email })
      return { email }
    })
  } catch (error) {
    if ((error as { code?: string }).code !== 'P2002') throw error
    throw new ServiceError('CONFLICT', { message: 'A user with this email address already exists. Sign in, then accept the invitation.' })
  }
}

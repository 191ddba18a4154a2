import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { type StaffEmail, staffEmailInput } from './schema.ts'
import { userByEmail } from './user-by-email.ts'

/**
 * Revokes a user's role of support staff; for the operator alone. Their next request is refused, also from an open session. Errors:
 * NOT_FOUND when no user has the address, or the user is not support staff.
 */
export async function revokeSupport(input: StaffEmail): Promise<void> {
  const { email } = staffEmailInput.parse(input)
  const userId = await userByEmail(email)
  const ended = await db().$executeRaw`UPDATE staff_grant SET revoked_at = service_clock() WHERE user_id = ${userId} AND revoked_at IS NULL`
  if (ended === 0) throw new ServiceError('NOT_FOUND', { message: `${email} is not support staff.` })
}

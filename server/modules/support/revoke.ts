import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { type StaffEmail, staffEmailInput } from './schema.ts'
import { userByEmail } from './user-by-email.ts'

/**
 * Takes the role of support staff from a person; for the operator alone. Their next request is refused, also from an open session.
 * Errors: NOT_FOUND when nobody has the address, or who has it is no support staff.
 */
export async function revokeSupport(input: StaffEmail): Promise<void> {
  const { email } = staffEmailInput.parse(input)
  const userId = await userByEmail(email)
  const ended = await db().$executeRaw`UPDATE staff_grant SET revoked_at = service_clock() WHERE user_id = ${userId} AND revoked_at IS NULL`
  if (ended === 0) throw new ServiceError('NOT_FOUND', { message: `${email} is not support staff.` })
}

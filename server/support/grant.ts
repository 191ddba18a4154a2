import { db } from '../infra/db.ts'
import { type StaffEmail, staffEmailInput } from './schema.ts'
import { userByEmail } from './user-by-email.ts'

/**
 * Makes a person who has signed up support staff; for the operator alone. Answers whether anything changed.
 * Errors: INVALID_REQUEST for what is no e-mail address, NOT_FOUND when nobody has it.
 */
export async function grantSupport(input: StaffEmail): Promise<{ granted: boolean }> {
  const userId = await userByEmail(staffEmailInput.parse(input).email)
  // The partial unique index decides: of two grants at once, one is made.
  const made = await db().$executeRaw`
    INSERT INTO staff_grant (user_id, granted_at) VALUES (${userId}, service_now())
    ON CONFLICT (user_id) WHERE revoked_at IS NULL DO NOTHING`
  return { granted: made === 1 }
}
